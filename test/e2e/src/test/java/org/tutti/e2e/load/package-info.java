/// Correct programs under load, including random ones: many ranks, many threads, many messages, ranks stopped
/// at any time. Every value is checked.
package org.tutti.e2e.load;
