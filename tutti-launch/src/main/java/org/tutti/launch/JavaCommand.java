package org.tutti.launch;

import java.nio.file.Path;

/// The `java` of the JVM that runs this process; ranks run by the same.
final class JavaCommand {
    private JavaCommand() {}

    static String path() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
