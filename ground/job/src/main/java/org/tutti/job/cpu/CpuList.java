package org.tutti.job.cpu;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// Lists of numbers in the kernel's format, for example `0-3,8`.
public final class CpuList {
    private static final int MOST = 1 << 16;

    private CpuList() {}

    /// Parses a list. Returns null if the text is not such a list.
    public static @Nullable BitSet parse(String text) {
        BitSet numbers = new BitSet();
        for (String item : text.strip().split(",", -1)) {
            int dash = item.indexOf('-');
            int from = number(dash < 0 ? item : item.substring(0, dash));
            int to = dash < 0 ? from : number(item.substring(dash + 1));
            if (from < 0 || to < from) return null;
            numbers.set(from, to + 1);
        }
        return numbers;
    }

    private static int number(String text) {
        try {
            int number = Integer.parseInt(text.strip());
            return number < MOST ? number : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /// Returns `numbers` as a list in the kernel's format.
    public static String of(BitSet numbers) {
        StringBuilder text = new StringBuilder();
        for (int from = numbers.nextSetBit(0); from >= 0; ) {
            int to = numbers.nextClearBit(from);
            if (text.length() > 0) text.append(',');
            text.append(from);
            if (to > from + 1) text.append('-').append(to - 1);
            from = numbers.nextSetBit(to);
        }
        return text.toString();
    }
}
