/// The superclass of the exceptions in `mpi`, and an empty class [mpjdev.Comm]. No other class of the
/// original's package is included.
package mpjdev;
