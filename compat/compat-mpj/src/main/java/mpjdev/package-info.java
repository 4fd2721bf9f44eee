/// The superclass of the exceptions in `mpi`; the original's package has no other class here.
package mpjdev;
