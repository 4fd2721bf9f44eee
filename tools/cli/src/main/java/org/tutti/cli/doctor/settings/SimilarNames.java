package org.tutti.cli.doctor.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.tutti.launch.text.EditDistance;

/// Suggestions for misspelled names.
final class SimilarNames {
    private static final int MOST = 2;

    private SimilarNames() {}

    /// Returns the nearest names, at most two; the distance is at most a fifth of the name's letters.
    static List<String> of(String name, Collection<String> known) {
        int limit = Math.max(1, name.length() / 5);
        return known.stream()
                .distinct()
                .filter(other -> Math.abs(other.length() - name.length()) <= limit)
                .filter(other -> EditDistance.of(name, other) <= limit)
                .sorted(Comparator.comparingInt((String other) -> EditDistance.of(name, other))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }
}
