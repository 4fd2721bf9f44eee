package org.tutti.mpi.file;

import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

/// The access modes of a file (MPI 4.1, section 14.2.1).
public record FileMode(
        boolean reads,
        boolean writes,
        boolean create,
        boolean exclusive,
        boolean truncate,
        boolean append,
        boolean deleteOnClose) {

    /// Returns the options for opening a file that already exists.
    Set<? extends OpenOption> options() {
        EnumSet<StandardOpenOption> options = EnumSet.noneOf(StandardOpenOption.class);
        if (reads) options.add(StandardOpenOption.READ);
        if (writes) options.add(StandardOpenOption.WRITE);
        return options;
    }
}
