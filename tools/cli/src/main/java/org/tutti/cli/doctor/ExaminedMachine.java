package org.tutti.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The machine under test.
///
/// @param root the root of the machine's files; different from `/` only in tests
/// @param home the user's directory
/// @param ranks the number of ranks of a job
public record ExaminedMachine(Map<String, String> env, Path root, Path home, int ranks) {
    /// Returns this machine, for this user.
    ///
    /// @param ranks the number of ranks of a job; 0 for one rank per core
    public static ExaminedMachine here(Map<String, String> env, int ranks) {
        int size = ranks > 0 ? ranks : Runtime.getRuntime().availableProcessors();
        return new ExaminedMachine(env, Path.of("/"), Path.of(System.getProperty("user.home")), size);
    }

    /// Returns a file by the absolute name.
    public Path file(String name) {
        return root.resolve(name.substring(1));
    }

    /// Whether the machine has an RDMA card.
    boolean hasFabric() {
        for (String directory : new String[] {"/sys/class/infiniband", "/sys/class/cxi"}) {
            String[] cards = file(directory).toFile().list();
            if (cards != null && cards.length > 0) return true;
        }
        return false;
    }

    /// Returns the file's text without surrounding white space; null if it cannot be read.
    @Nullable
    String text(String name) {
        try {
            return Files.readString(file(name)).strip();
        } catch (IOException e) {
            return null;
        }
    }

    /// Returns the file's lines; empty if it cannot be read.
    List<String> lines(String name) {
        String text = text(name);
        return text == null ? List.of() : text.lines().toList();
    }
}
