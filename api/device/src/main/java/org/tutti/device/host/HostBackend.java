package org.tutti.device.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.Discovery;

/// The host as a device.
public final class HostBackend implements DeviceBackend {
    private static final String MEMORY = "/proc/meminfo", TOTAL = "MemTotal:", BOOT = "/proc/sys/kernel/random/boot_id";
    private static final int THREADS_PER_BLOCK = 1024;
    private static final long SHARED_BYTES = 48L << 10;

    @Override
    public String kind() {
        return "host";
    }

    @Override
    public int order() {
        return Integer.MAX_VALUE;
    }

    @Override
    public Discovery discover() {
        return new Discovery(List.of(attributes()), List.of());
    }

    @Override
    public DeviceDriver open(int index) {
        return new HostDriver(attributes());
    }

    private static DeviceAttributes attributes() {
        return new DeviceAttributes(
                "host",
                0,
                "Java " + Runtime.version().feature() + " on "
                        + Runtime.getRuntime().availableProcessors() + " processors",
                "host-" + read(BOOT, "").strip(),
                memoryBytes(),
                null,
                System.getProperty("os.arch"),
                1,
                THREADS_PER_BLOCK,
                SHARED_BYTES,
                "Java " + Runtime.version());
    }

    private static long memoryBytes() {
        for (String line : read(MEMORY, "").split("\n")) {
            if (line.startsWith(TOTAL)) return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
        return Long.MAX_VALUE;
    }

    private static String read(String file, String otherwise) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return otherwise; // this system has no such file
        }
    }
}
