package org.tutti.conformance.soak;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/// The random messages from one rank to another, in order.
final class MessageSequence {
    /// One message.
    ///
    /// @param number index of the message for this pair, from 0
    /// @param at offset of the content in the template
    record SoakMessage(int number, int tag, int bytes, int at) {
        /// Returns a checksum of the message, which sender and receiver add up.
        long mixed(int source, int dest) {
            long pair = source * 31L + dest;
            long x = ((pair * 0x9e3779b97f4a7c15L + number) * 0xbf58476d1ce4e5b9L + tag) * 0x94d049bb133111ebL + bytes;
            return x ^ x >>> 31;
        }
    }

    static final int LONGEST = 8 << 20;

    private static final int SHORT = 4 << 10, MIDDLE = 256 << 10;
    private static final int TAGS = 4;

    /// Lengths near which an engine may change the transfer path: limits of eager messages, of buffers and of a
    /// ring.
    private static final int[] EDGES = {4 << 10, 16 << 10, 32 << 10, 64 << 10};

    private static final int[] LONG_EDGES = {128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20};
    private static final int AROUND = 100;

    /// Limits for series of messages that are short enough to be sent eagerly. A few dozen fill a ring.
    private static final int LONGEST_SERIES = 100, SERIES_KINDS = 8, EAGER = 36 << 10;

    private final SplittableRandom random;
    private final int count;
    private final ArrayDeque<SoakMessage> drawn = new ArrayDeque<>();
    private int drawnSoFar;
    private int taken;
    private int seriesLeft;
    private boolean filling;

    MessageSequence(long seed, int source, int dest, int count) {
        random = new SplittableRandom((seed * 1_000_003 + source) * 1_000_003 + dest);
        this.count = count;
    }

    /// Returns the number of messages that have not been taken.
    int left() {
        return count - taken;
    }

    /// Returns the next message without removing it.
    SoakMessage peek() {
        if (drawn.isEmpty()) draw();
        return drawn.element();
    }

    /// Returns the length in bytes of the longest of the next `most` messages.
    int longest(int most) {
        while (drawn.size() < Math.min(most, left())) draw();
        return drawn.stream().limit(most).mapToInt(SoakMessage::bytes).max().orElse(0);
    }

    /// Returns and removes the next message.
    SoakMessage take() {
        SoakMessage next = peek();
        drawn.remove();
        taken++;
        return next;
    }

    private void draw() {
        if (drawnSoFar == count) throw new AssertionError("more than the " + count + " messages of this pair");
        int bytes = length();
        drawn.add(
                new SoakMessage(drawnSoFar++, random.nextInt(TAGS), bytes, random.nextInt(Template.BYTES - bytes + 1)));
    }

    private int length() {
        if (seriesLeft-- == 0) {
            seriesLeft = random.nextInt(LONGEST_SERIES);
            filling = random.nextInt(SERIES_KINDS) == 0;
        }
        if (filling && random.nextInt(4) != 0) return between(SHORT, EAGER);
        int kind = random.nextInt(1000);
        if (kind < 20) return 0;
        if (kind < 60) return about(EDGES);
        if (kind < 63) return about(LONG_EDGES);
        if (kind < 900) return between(1, SHORT);
        if (kind < 990) return between(SHORT, MIDDLE);
        return random.nextInt(20) == 0 ? LONGEST : between(MIDDLE, LONGEST);
    }

    private int about(int[] edges) {
        return edges[random.nextInt(edges.length)] + random.nextInt(-AROUND, AROUND + 1);
    }

    /// Returns a random length with a uniformly distributed logarithm.
    private int between(int least, int most) {
        return (int) (least * Math.pow((double) most / least, random.nextDouble()));
    }
}
