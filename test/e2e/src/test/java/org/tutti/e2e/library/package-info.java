/// Jobs over an installed MPI library, beyond data transfer: the library's launcher without Tutti's, a process
/// that the library treats as a separate world, the library's signal handlers in a JVM.
package org.tutti.e2e.library;
