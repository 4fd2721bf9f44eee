/// The exception that those of `mpi` are of; nothing else of the original's package is here.
package mpjdev;
