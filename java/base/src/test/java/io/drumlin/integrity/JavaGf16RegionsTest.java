package io.drumlin.integrity;

class JavaGf16RegionsTest extends Gf16RegionsContract {

    @Override
    Gf16Regions make() {
        return new JavaGf16Regions();
    }
}
