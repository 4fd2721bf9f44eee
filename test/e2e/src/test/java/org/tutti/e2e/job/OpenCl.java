package org.tutti.e2e.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Devices of kind `opencl`. Tests that require OpenCL are skipped if no driver is registered.
public final class OpenCl {
    private static final Path REGISTERED = Path.of("/etc/OpenCL/vendors");

    private OpenCl() {}

    public static void require() {
        Way.need(hasDriver(), "no OpenCL driver is registered; install one, for example pocl-opencl-icd");
    }

    private static boolean hasDriver() {
        if (!Files.isDirectory(REGISTERED)) return false;
        try (Stream<Path> drivers = Files.list(REGISTERED)) {
            return drivers.findAny().isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
