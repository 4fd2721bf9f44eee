/// The superclass of the exceptions in `mpi` and `mpjdev`. No other class of the original's package is
/// included.
package xdev;
