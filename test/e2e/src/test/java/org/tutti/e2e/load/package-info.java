/// Correct programs under load, some of which are random: many ranks, threads and messages, and ranks that are
/// stopped at any time. Every value is checked.
package org.tutti.e2e.load;
