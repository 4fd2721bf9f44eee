package org.tutti.launch.library;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Files in shared memory that an MPI library creates with random names during the start, and removes when all
/// ranks have mapped the memory. If a rank is killed before that, the files remain.
///
/// Removes only files that a rank of the job has mapped and that no running process maps.
public final class SharedFiles {
    static final Path DIRECTORY = Path.of("/dev/shm");

    private static final String DELETED = " (deleted)";

    private final Path directory;
    private final List<String> names;
    private final Set<Path> seen = new TreeSet<>();

    /// @param names the prefixes of the files
    public SharedFiles(List<String> names) {
        this(DIRECTORY, names);
    }

    SharedFiles(Path directory, List<String> names) {
        this.directory = directory;
        this.names = names;
    }

    /// Records which files of the library these processes map. If the directory contains no file of the
    /// library, the mappings of the processes are not read.
    public void scan(Iterable<ProcessHandle> ranks) {
        if (names.isEmpty() || !anyExists()) return;
        for (ProcessHandle rank : ranks) if (rank.isAlive()) addMapped(rank.pid());
    }

    private boolean anyExists() {
        String[] files = directory.toFile().list((in, file) -> isOne(file));
        return files != null && files.length > 0;
    }

    private boolean isOne(String file) {
        return names.stream().anyMatch(file::startsWith);
    }

    private void addMapped(long pid) {
        Path maps = Path.of("/proc", Long.toString(pid), "maps");
        String parent = directory + "/";
        try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
            lines.forEach(line -> {
                int at = line.indexOf(parent);
                if (at < 0 || line.endsWith(DELETED)) return;
                String file = line.substring(at + parent.length());
                if (isOne(file)) seen.add(directory.resolve(file));
            });
        } catch (IOException | UncheckedIOException e) {
            // the rank has ended
        }
    }

    /// Removes the files that ranks have mapped. Called after all ranks have ended.
    public void sweep() {
        seen.removeIf(file -> !Files.exists(file));
        if (seen.isEmpty()) return;
        String mapped = OpenMpiSession.mapped(directory + "/");
        if (mapped == null) return;
        for (Path file : seen) {
            try {
                if (!mapped.contains(file.toString()) && OpenMpiSession.isMine(file)) Files.deleteIfExists(file);
            } catch (IOException e) {
                // already removed
            }
        }
    }
}
