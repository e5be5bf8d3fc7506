/** For the module path; on the class path nobody looks at it. */
module stranger {
    requires io.drumlin.core;
}
