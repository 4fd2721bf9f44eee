/// The start of ranks: CPUs and hosts, one or several programs, launchers, batch systems, and ranks spawned by
/// a JVM.
package org.tutti.e2e.launch;
