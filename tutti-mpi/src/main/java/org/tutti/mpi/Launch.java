package org.tutti.mpi;

import java.util.List;
import org.tutti.spi.Spawner;

/// A program that [Comm#spawn(int, Launch...)] starts, and how many ranks run it. What it is told counts on the
/// root alone. MPI 4.1, section 11.8.3.
///
///     Intercomm workers = world.spawn(0, Launch.of(1, Reader.class, "in.csv"), Launch.of(3, Worker::main));
public final class Launch {
    private final Spawner.Part part;

    private Launch(Spawner.Part part) {
        this.part = part;
    }

    /// Returns the main method of `program`, for `size` ranks. Local.
    public static Launch of(int size, Class<?> program, String... arguments) {
        return new Launch(new Spawner.Part(size, new Spawner.Entry(program, null, ""), "", List.of(arguments)));
    }

    /// Returns a static method, for `size` ranks. Local.
    ///
    /// @throws MpiException `ERR_ARG` for a method that is not static and for a lambda that holds values
    public static Launch of(int size, Tutti.Main program, String... arguments) {
        return new Launch(new Spawner.Part(size, Spawn.entry(program), "", List.of(arguments)));
    }

    /// Returns what `tutti run` takes as a program, for `size` ranks: a source file, `Worker.java`, a jar, or a
    /// class on the class path of the root. Local.
    public static Launch of(int size, String program, String... arguments) {
        return new Launch(new Spawner.Part(size, null, program, List.of(arguments)));
    }

    Spawner.Part part() {
        return part;
    }
}
