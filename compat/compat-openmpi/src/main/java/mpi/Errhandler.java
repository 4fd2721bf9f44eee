package mpi;

/// What an error does: see the three of [MPI].
public final class Errhandler {
    Errhandler() {}
}
