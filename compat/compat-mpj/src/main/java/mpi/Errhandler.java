package mpi;

/// Something to pass to [MPI#Errorhandler_set], which does nothing: errors are always exceptions.
public class Errhandler {
    Errhandler() {}
}
