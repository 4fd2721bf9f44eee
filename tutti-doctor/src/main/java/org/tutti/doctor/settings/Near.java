package org.tutti.doctor.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// Names that somebody may have meant.
final class Near {
    private static final int MOST = 2;

    private Near() {}

    /// The nearest ones, at most two; those more than a fifth of the name's letters away are none.
    static List<String> of(String name, Collection<String> known) {
        int limit = Math.max(1, name.length() / 5);
        return known.stream()
                .distinct()
                .filter(other -> Math.abs(other.length() - name.length()) <= limit)
                .filter(other -> distance(name, other) <= limit)
                .sorted(Comparator.comparingInt((String other) -> distance(name, other))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /// How many letters to put in, leave out or change.
    static int distance(String a, String b) {
        int[] last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) last[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int[] next = new int[b.length() + 1];
            next[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(change, 1 + Math.min(last[j], next[j - 1]));
            }
            last = next;
        }
        return last[b.length()];
    }
}
