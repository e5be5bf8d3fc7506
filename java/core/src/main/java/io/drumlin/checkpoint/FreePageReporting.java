package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether the host of a virtual machine takes back the memory that is free in it. Memory that is new to a process, also that of the page
 * cache, is a fault in the host then and costs ten times as much (docs/measurements/2026-11.md).
 */
final class FreePageReporting {

    /** VIRTIO_BALLOON_F_REPORTING of the virtio specification. */
    private static final int FEATURE = 5;

    private static final Path DRIVER = Path.of("/sys/bus/virtio/drivers/virtio_balloon");

    private FreePageReporting() {}

    static boolean isOn() {
        return isOn(DRIVER);
    }

    /** @param driver with a folder for each device, in which the file "features" has a digit for each feature, the first one first */
    static boolean isOn(Path driver) {
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(driver, "virtio*")) {
            for (Path device : devices) {
                String features = Files.readString(device.resolve("features"));
                if (features.length() > FEATURE && features.charAt(FEATURE) == '1') {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // No virtual machine, or one of another kind.
        }
        return false;
    }
}
