package org.tutti.conformance.soak;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/// The letters from one rank to a second rank, in order.
final class Letters {
    /// A message.
    ///
    /// @param number from 0, for this pair
    /// @param at offset of the content in the template
    record Letter(int number, int tag, int bytes, int at) {
        /// Returns a number on which the two ends must agree.
        long mixed(int source, int dest) {
            long pair = source * 31L + dest;
            long x = ((pair * 0x9e3779b97f4a7c15L + number) * 0xbf58476d1ce4e5b9L + tag) * 0x94d049bb133111ebL + bytes;
            return x ^ x >>> 31;
        }
    }

    static final int LONGEST = 8 << 20;

    private static final int SHORT = 4 << 10, MIDDLE = 256 << 10;
    private static final int TAGS = 4;

    /// Lengths at which an engine may choose a different path: letters that are sent whole, are buffered, or
    /// fit into a ring.
    private static final int[] EDGES = {4 << 10, 16 << 10, 32 << 10, 64 << 10};

    private static final int[] LONG_EDGES = {128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20};
    private static final int AROUND = 100;

    /// Some letters in a row are short enough to be sent whole, and a few dozen fill a ring.
    private static final int LONGEST_SPELL = 100, SPELLS = 8, WHOLE = 36 << 10;

    private final SplittableRandom random;
    private final int count;
    private final ArrayDeque<Letter> drawn = new ArrayDeque<>();
    private int drawnSoFar;
    private int taken;
    private int spellLeft;
    private boolean filling;

    Letters(long seed, int source, int dest, int count) {
        random = new SplittableRandom((seed * 1_000_003 + source) * 1_000_003 + dest);
        this.count = count;
    }

    /// Returns the number of letters that have not been taken.
    int left() {
        return count - taken;
    }

    /// The next one, which stays.
    Letter peek() {
        if (drawn.isEmpty()) draw();
        return drawn.element();
    }

    /// The longest of the next `most`.
    int longest(int most) {
        while (drawn.size() < Math.min(most, left())) draw();
        return drawn.stream().limit(most).mapToInt(Letter::bytes).max().orElse(0);
    }

    /// The next one.
    Letter take() {
        Letter next = peek();
        drawn.remove();
        taken++;
        return next;
    }

    private void draw() {
        if (drawnSoFar == count) throw new AssertionError("more than the " + count + " letters of this pair");
        int bytes = length();
        drawn.add(new Letter(drawnSoFar++, random.nextInt(TAGS), bytes, random.nextInt(Template.BYTES - bytes + 1)));
    }

    private int length() {
        if (spellLeft-- == 0) {
            spellLeft = random.nextInt(LONGEST_SPELL);
            filling = random.nextInt(SPELLS) == 0;
        }
        if (filling && random.nextInt(4) != 0) return between(SHORT, WHOLE);
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

    /// As often between 1 and 2 as between 1000 and 2000.
    private int between(int least, int most) {
        return (int) (least * Math.pow((double) most / least, random.nextDouble()));
    }
}
