package org.tutti.job.environment;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// This machine: name, cores and memory.
public final class Host {
    /// Above this number of bytes, the available memory is checked first.
    private static final long LARGE = 64L << 20;

    private static final String MEMORY = "/proc/meminfo", AVAILABLE = "MemAvailable:";

    private Host() {}

    /// Returns the cores of all ranks of this machine together. The JVM of a rank may have been limited to the
    /// rank's share.
    public static int cores() {
        int cores = launcherCores();
        return cores > 0 ? cores : Runtime.getRuntime().availableProcessors();
    }

    /// Returns the cores according to Tutti's launcher; 0 if it has not started this process.
    public static int launcherCores() {
        String cores = System.getenv(RankEnvironment.CORES);
        try {
            if (cores != null) return Math.max(1, Integer.parseInt(cores));
        } catch (NumberFormatException e) {
            // treated as not set
        }
        return 0;
    }

    /// Checks the available memory before an allocation that the system might grant without having the memory.
    /// The system would later kill processes.
    ///
    /// @throws IOException if the system reports that less than `bytes` is available
    public static void checkMemory(long bytes) throws IOException {
        long left = bytes < LARGE ? bytes : availableBytes();
        if (bytes > left) throw new IOException("this machine has " + left + " bytes of memory left");
    }

    private static long availableBytes() {
        try (BufferedReader lines = new BufferedReader(new FileReader(MEMORY, StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith(AVAILABLE)) continue;
                String kibibytes =
                        line.substring(AVAILABLE.length()).replace("kB", "").strip();
                return Long.parseLong(kibibytes) << 10;
            }
        } catch (IOException | NumberFormatException e) {
            // not Linux
        }
        return Long.MAX_VALUE;
    }

    /// Determined without the network: a resolver that does not know the name can take half a minute.
    public static String name() {
        for (String file : new String[] {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
            try {
                String name = Files.readString(Path.of(file)).strip();
                if (!name.isEmpty()) return name;
            } catch (IOException e) {
                // not Linux: use the environment
            }
        }
        Map<String, String> env = System.getenv();
        return env.getOrDefault("HOSTNAME", env.getOrDefault("COMPUTERNAME", "localhost"));
    }
}
