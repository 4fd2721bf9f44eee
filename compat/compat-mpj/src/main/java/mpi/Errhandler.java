package mpi;

/// An argument for [MPI#Errorhandler_set], which has no effect: errors are always exceptions.
public class Errhandler {
    Errhandler() {}
}
