/// Correct programs under load, random ones among them: many ranks, many threads, many messages, ranks stopped
/// at any moment. Every value is checked.
package org.tutti.e2e.load;
