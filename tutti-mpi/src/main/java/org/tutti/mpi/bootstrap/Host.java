package org.tutti.mpi.bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// This machine: its name and its cores.
public final class Host {
    private Host() {}

    /// The cores that all ranks of this machine have together. A rank's own JVM may have been told to see its
    /// share only.
    public static int cores() {
        int told = coresTold();
        return told > 0 ? told : Runtime.getRuntime().availableProcessors();
    }

    /// The same as Tutti's launcher says it; 0 where it did not start this process.
    public static int coresTold() {
        String told = System.getenv(Place.CORES);
        try {
            if (told != null) return Math.max(1, Integer.parseInt(told));
        } catch (NumberFormatException e) {
            // then as if nothing had been told
        }
        return 0;
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
