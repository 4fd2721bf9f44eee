package org.tutti.launch.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// The edit distance of two strings.
public final class EditDistance {
    private static final int MOST_SIMILAR = 2;

    private EditDistance() {}

    /// Returns the minimum number of letters to insert, delete, replace or swap with a neighbor.
    public static int of(String a, String b) {
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

    /// Returns the candidate with the smallest distance from `typed`; if several have the same distance, the
    /// first.
    public static String nearest(String typed, List<String> words) {
        String best = words.getFirst();
        for (String word : words) if (of(typed, word) < of(typed, best)) best = word;
        return best;
    }

    /// Returns the nearest names, at most two, within `limit` of `typed`.
    public static List<String> similar(String typed, Collection<String> known, int limit) {
        return known.stream()
                .distinct()
                .filter(name -> Math.abs(name.length() - typed.length()) <= limit)
                .filter(name -> of(typed, name) <= limit)
                .sorted(Comparator.comparingInt((String name) -> of(typed, name))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST_SIMILAR)
                .toList();
    }
}
