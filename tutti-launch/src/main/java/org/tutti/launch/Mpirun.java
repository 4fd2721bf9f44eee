package org.tutti.launch;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The launcher that belongs to a native MPI library, and how it is spoken to.
///
/// @param library what the engine loads: `openmpi`, `mpich`, or a path
record Mpirun(Family family, Path command, String library) {
    /// Which launcher's options it understands.
    enum Family {
        OPEN_MPI("openmpi", "Open MPI", "Open MPI", "PRRTE", "OpenRTE"),
        MPICH("mpich", "MPICH", "HYDRA", "MPICH", "Intel(R) MPI");

        private final String word;
        private final String title;
        private final String[] versionWords;

        Family(String word, String title, String... versionWords) {
            this.word = word;
            this.title = title;
            this.versionWords = versionWords;
        }

        private boolean saysSo(String version) {
            for (String w : versionWords) if (version.contains(w)) return true;
            return false;
        }
    }

    private static final String[] OPEN_MPI_NAMES = {"mpirun.openmpi", "mpiexec.openmpi"};
    private static final String[] MPICH_NAMES = {"mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich"};
    private static final String[] COMMON_NAMES = {"mpirun", "mpiexec", "orterun", "prterun"};
    private static final byte[] ONLY_IN_OPEN_MPI = "ompi_mpi_comm_world".getBytes(StandardCharsets.US_ASCII);
    private static final long VERSION_SECONDS = 10;

    /// Finds it for `--mpi` as the user gave it, or not.
    static Mpirun find(@Nullable String mpi) {
        if (mpi == null) {
            Mpirun found = named(Family.OPEN_MPI);
            if (found == null) found = named(Family.MPICH);
            if (found != null) return found;
            throw new UsageException("--engine libmpi needs Open MPI's mpirun or MPICH's mpiexec, and neither is on the"
                    + " PATH; install one (apt-get install openmpi-bin, or mpich), or use --engine shm");
        }
        for (Family family : Family.values()) {
            if (!mpi.equals(family.word)) continue;
            Mpirun found = named(family);
            if (found != null) return found;
            throw new UsageException("--mpi " + mpi + ": no launcher of " + family.title + " is on the PATH");
        }
        return beside(mpi);
    }

    /// For the path of a library: the launcher of its family, of its own installation if there is one.
    private static Mpirun beside(String path) {
        try {
            if (!Files.isRegularFile(Path.of(path))) {
                throw new UsageException(
                        "--mpi " + path + ": give openmpi, mpich or the file of a library (libmpi.so)");
            }
            Path library = Path.of(path).toRealPath();
            Family family = contains(Files.readAllBytes(library), ONLY_IN_OPEN_MPI) ? Family.OPEN_MPI : Family.MPICH;
            for (Path up = library.getParent(); up != null; up = up.getParent()) {
                for (String name : COMMON_NAMES) {
                    Path command = up.resolve("bin").resolve(name);
                    if (Files.isExecutable(command) && family.saysSo(version(command))) {
                        return new Mpirun(family, command, library.toString());
                    }
                }
            }
            Mpirun found = named(family);
            if (found != null) return new Mpirun(family, found.command, library.toString());
            throw new UsageException("--mpi " + path + " is a library of " + family.title
                    + ", whose launcher is neither beside it nor on the PATH");
        } catch (IOException e) {
            throw new UsageException("--mpi " + path + " cannot be read: " + e.getMessage());
        }
    }

    private static @Nullable Mpirun named(Family family) {
        for (String name : family == Family.OPEN_MPI ? OPEN_MPI_NAMES : MPICH_NAMES) {
            Path command = onPath(name);
            if (command != null) return new Mpirun(family, command, family.word);
        }
        for (String name : COMMON_NAMES) {
            Path command = onPath(name);
            if (command != null && family.saysSo(version(command))) return new Mpirun(family, command, family.word);
        }
        return null;
    }

    static @Nullable Path onPath(String name) {
        String path = System.getenv("PATH");
        if (path == null) return null;
        for (String directory : path.split(File.pathSeparator)) {
            Path command = Path.of(directory, name);
            if (Files.isExecutable(command) && !Files.isDirectory(command)) return command;
        }
        return null;
    }

    private static String version(Path command) {
        try {
            Process process = new ProcessBuilder(command.toString(), "--version")
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            try {
                String text = new String(process.getInputStream().readNBytes(4096), StandardCharsets.UTF_8);
                process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS);
                return text;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static boolean contains(byte[] bytes, byte[] word) {
        for (int i = 0; i + word.length <= bytes.length; i++) {
            int k = 0;
            while (k < word.length && bytes[i + k] == word[k]) k++;
            if (k == word.length) return true;
        }
        return false;
    }

    /// The beginning of the command that starts ranks on this machine: up to the first program's `-n`.
    ///
    /// @param tagged whether each line of output shall tell its rank
    List<String> command(boolean tagged) {
        List<String> line = new ArrayList<>();
        line.add(command.toString());
        switch (family) {
            case OPEN_MPI -> {
                if ("root".equals(System.getProperty("user.name"))) line.add("--allow-run-as-root");
                line.add("--oversubscribe");
                // For one or two ranks its default is one core each, and a JVM has more threads than one. Where ranks
                // are to be bound, their shells do it, the same way over any library.
                line.add("--bind-to");
                line.add("none");
                if (tagged) line.add("--tag-output");
            }
            case MPICH -> {
                if (tagged) line.add("-prepend-rank");
            }
        }
        return line;
    }
}
