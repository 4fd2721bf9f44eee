package mpi;

/// An object with a method `free`.
interface Freeable {
    void free();
}
