package org.tutti.conformance.soak;

/// What was sent or received: how many messages of how many bytes in all, and a sum that depends on every one
/// of them.
final class Tally {
    private long messages;
    private long bytes;
    private long sum;

    void add(long lengthBytes, long mixed) {
        messages++;
        bytes += lengthBytes;
        sum += mixed;
    }

    void add(Tally other) {
        messages += other.messages;
        bytes += other.bytes;
        sum += other.sum;
    }

    /// To be added up over all ranks.
    long[] values() {
        return new long[] {messages, bytes, sum};
    }
}
