/// Correct programs, some random, under load: high numbers of ranks, threads and messages, and ranks stopped at
/// any time. Every value is checked.
package org.tutti.e2e.load;
