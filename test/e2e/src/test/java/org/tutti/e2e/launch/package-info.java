/// How ranks begin: on which cpus and hosts, which program, by which launcher, in a batch system, or spawned by
/// a JVM.
package org.tutti.e2e.launch;
