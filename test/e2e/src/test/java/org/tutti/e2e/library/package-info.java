/// Jobs over an installed MPI library where it does more than to move data: its launcher alone, a process that
/// it takes
/// for a world of its own, its signal handlers in a JVM.
package org.tutti.e2e.library;
