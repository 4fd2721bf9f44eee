package mpi;

/// An object that the program must free.
public interface Freeable {
    void free() throws MPIException;
}
