package org.tutti.bench.plan;

import java.util.List;

/// What somebody may have meant.
public final class Nearest {
    private Nearest() {}

    /// The word of `words` that takes the fewest changes of letters to get from `typed`.
    public static String to(String typed, List<String> words) {
        String best = words.getFirst();
        for (String word : words) if (distance(typed, word) < distance(typed, best)) best = word;
        return best;
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) row[j] = j;
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
