package mpi;

/// The reaction to an error: see the three constants in [MPI].
public final class Errhandler {
    Errhandler() {}
}
