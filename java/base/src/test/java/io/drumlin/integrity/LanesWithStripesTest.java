package io.drumlin.integrity;

/** That the lanes stay as they are beside stripes; what the stripes are, {@link StripedMd5Test} tests. */
class LanesWithStripesTest extends Md5LanesContract {

    @Override
    Md5Lanes make() {
        return new LanesWithStripes(DigestEngine.md5());
    }
}
