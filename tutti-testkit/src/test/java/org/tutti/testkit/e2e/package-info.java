/// End to end: Tutti's command as a user types it, over shared memory, Open MPI and MPICH. Each test asserts
/// that a job ends, with which exit code and words, and that nothing is left of it; never how fast.
package org.tutti.testkit.e2e;
