package io.drumlin.integrity;

class JavaMd5LanesTest extends Md5LanesContract {

    @Override
    Md5Lanes make() {
        return new JavaMd5Lanes();
    }
}
