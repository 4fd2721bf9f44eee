package org.tutti.launch.machine;

import java.nio.file.Path;

/// The `java` command of the JVM that runs this process; also used for ranks.
public final class JavaCommand {
    private JavaCommand() {}

    public static String path() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
