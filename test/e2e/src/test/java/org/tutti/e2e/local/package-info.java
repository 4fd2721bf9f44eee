/// Ranks as threads of the test's JVM (`Tutti.local`). These tests are not contracts, because the calls end the
/// job, or a native MPI library does not guarantee the result.
package org.tutti.e2e.local;
