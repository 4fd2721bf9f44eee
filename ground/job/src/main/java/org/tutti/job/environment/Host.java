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
    /// The available memory is checked only for allocations of at least this number of bytes.
    private static final long LARGE = 64L << 20;

    private static final String MEMORY = "/proc/meminfo", AVAILABLE = "MemAvailable:";

    private Host() {}

    /// Returns the number of cores of all ranks of this machine together. The JVM of a rank may report fewer,
    /// because it may have been limited to the cores of this rank.
    public static int cores() {
        int cores = launcherCores();
        return cores > 0 ? cores : Runtime.getRuntime().availableProcessors();
    }

    /// Returns the number of cores according to Tutti's launcher; 0 if the launcher has not started this
    /// process.
    public static int launcherCores() {
        String cores = System.getenv(RankEnvironment.CORES);
        try {
            if (cores != null) return Math.max(1, Integer.parseInt(cores));
        } catch (NumberFormatException e) {
            // an invalid value is ignored, as if the variable were not set
        }
        return 0;
    }

    /// Checks the available memory. Called before an allocation that the system might grant without having
    /// enough memory; the system would later kill processes.
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
            // the system is not Linux
        }
        return Long.MAX_VALUE;
    }

    /// Returns the name of the machine. The network is not used, because a resolver that cannot resolve the
    /// name may take half a minute.
    public static String name() {
        for (String file : new String[] {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
            try {
                String name = Files.readString(Path.of(file)).strip();
                if (!name.isEmpty()) return name;
            } catch (IOException e) {
                // the system is not Linux: use the environment
            }
        }
        Map<String, String> env = System.getenv();
        return env.getOrDefault("HOSTNAME", env.getOrDefault("COMPUTERNAME", "localhost"));
    }
}
