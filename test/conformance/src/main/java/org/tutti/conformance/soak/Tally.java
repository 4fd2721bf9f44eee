package org.tutti.conformance.soak;

/// Totals of sent or received messages: number of messages, number of bytes, and a checksum of all messages.
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

    /// Returns the totals as an array, which can be added up over all ranks.
    long[] values() {
        return new long[] {messages, bytes, sum};
    }
}
