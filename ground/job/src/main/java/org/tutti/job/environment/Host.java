package org.tutti.job.environment;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// This machine: its name, its cores and its memory.
public final class Host {
    /// From here on the system is asked first how much it has left.
    private static final long LARGE = 64L << 20;

    private static final String MEMORY = "/proc/meminfo", AVAILABLE = "MemAvailable:";

    private Host() {}

    /// The cores that all ranks of this machine have together. A rank's own JVM may have been told to see its
    /// share only.
    public static int cores() {
        int told = coresTold();
        return told > 0 ? told : Runtime.getRuntime().availableProcessors();
    }

    /// The same as Tutti's launcher says it; 0 where it did not start this process.
    public static int coresTold() {
        String told = System.getenv(RankEnvironment.CORES);
        try {
            if (told != null) return Math.max(1, Integer.parseInt(told));
        } catch (NumberFormatException e) {
            // then as if nothing had been told
        }
        return 0;
    }

    /// Called before memory is taken that the system may promise without having it: then it ends processes later.
    ///
    /// @throws IOException when it has less than `bytes` left, where it says so
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
            // another system
        }
        return Long.MAX_VALUE;
    }

    /// Found without asking the network: a resolver that does not know the name can take half a minute.
    public static String name() {
        for (String file : new String[] {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
            try {
                String name = Files.readString(Path.of(file)).strip();
                if (!name.isEmpty()) return name;
            } catch (IOException e) {
                // another system: ask the environment
            }
        }
        Map<String, String> env = System.getenv();
        return env.getOrDefault("HOSTNAME", env.getOrDefault("COMPUTERNAME", "localhost"));
    }
}
