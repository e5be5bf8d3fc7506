/**
 * HDF5 files of every kind, read by the HDF5 library, which is called through JavaCPP. Nobody need require this module:
 * {@link io.drumlin.format.hdf5.Hdf5Reader} finds it where it is on the module path.
 *
 * @provides io.drumlin.format.hdf5.internal.Hdf5Library the HDF5 library
 */
@SuppressWarnings("module") // the format has a digit at the end of its name
module io.drumlin.hdf5 {
    requires transitive io.drumlin.core;
    requires org.bytedeco.hdf5;
    // Nothing else would resolve it.
    requires org.bytedeco.hdf5.linux.x86_64;
    requires org.bytedeco.javacpp;
    requires static org.jspecify;

    exports io.drumlin.hdf5;

    provides io.drumlin.format.hdf5.internal.Hdf5Library with
            io.drumlin.hdf5.NativeHdf5Library;
}
