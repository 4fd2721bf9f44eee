package org.tutti.mpi.bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// The name of this machine, without asking the network: a resolver that does not know it can take half a minute.
public final class Host {
    private Host() {}

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
