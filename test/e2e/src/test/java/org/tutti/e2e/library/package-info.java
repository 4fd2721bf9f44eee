/// Jobs over an installed MPI library, beyond data transfer: the library's launcher without Tutti's launcher,
/// processes that the library treats as separate worlds, and the library's signal handlers in a JVM.
package org.tutti.e2e.library;
