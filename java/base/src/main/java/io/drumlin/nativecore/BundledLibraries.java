package io.drumlin.nativecore;

/**
 * A jar with native libraries, as a module. Nothing requires these jars, because there is one for each platform. The
 * module system resolves them with this module because they provide a service that it uses. Nobody calls the service:
 * {@link NativeLibrary} finds the files by the class loader, as on the class path, where these jars declare no service.
 */
public interface BundledLibraries {}
