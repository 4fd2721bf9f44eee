package mpi;

/// What has a method `free`.
interface Freeable {
    void free();
}
