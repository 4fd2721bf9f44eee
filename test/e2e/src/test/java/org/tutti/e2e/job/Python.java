package org.tutti.e2e.job;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The Python installation with mpi4py on this machine.
public final class Python {
    private Python() {}

    /// Returns a PATH in which the directory of that installation is first. Skips the test if no `python3` on
    /// the PATH has mpi4py.
    public static String path() throws InterruptedException {
        String path = System.getenv("PATH");
        for (String directory : path.split(File.pathSeparator)) {
            Path python = Path.of(directory, "python3");
            if (Files.isExecutable(python) && hasMpi4py(python)) return directory + File.pathSeparator + path;
        }
        Way.need(false, "no python3 has mpi4py");
        return path;
    }

    private static boolean hasMpi4py(Path python) throws InterruptedException {
        try {
            return new ProcessBuilder(python.toString(), "-c", "import mpi4py")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
