package mpi;

/// What is given back by the program.
public interface Freeable {
    void free() throws MPIException;
}
