package org.tutti.cli.doctor.settings;

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

    /// How many letters to put in, leave out, change or exchange with their neighbor.
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                char left = a.charAt(i - 1), right = b.charAt(j - 1);
                int change = d[i - 1][j - 1] + (left == right ? 0 : 1);
                d[i][j] = Math.min(change, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                boolean exchanged = i > 1 && j > 1 && left == b.charAt(j - 2) && right == a.charAt(i - 2);
                if (exchanged) d[i][j] = Math.min(d[i][j], 1 + d[i - 2][j - 2]);
            }
        }
        return d[a.length()][b.length()];
    }
}
