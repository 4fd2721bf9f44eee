package org.tutti.cli;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.tutti.launch.text.EditDistance;

/// Suggestions for a misspelled command, option or example: the nearest names, at an edit distance of at most
/// two and at most half of the length. If there are no such names, the names that begin with the text are
/// suggested.
final class Suggestions {
    private static final int MOST_LETTERS = 2, LEAST_OF_PREFIX = 3, MOST_OF_PREFIX = 3;

    private Suggestions() {}

    static List<String> of(String word, Collection<String> names) {
        List<String> similar = EditDistance.similar(word, names, Math.min(MOST_LETTERS, word.length() / 2));
        if (!similar.isEmpty()) {
            int least = EditDistance.of(word, similar.getFirst());
            return similar.stream()
                    .filter(name -> EditDistance.of(word, name) == least)
                    .toList();
        }
        if (word.length() < LEAST_OF_PREFIX) return List.of();
        return names.stream()
                .filter(name -> name.startsWith(word))
                .sorted()
                .limit(MOST_OF_PREFIX)
                .toList();
    }

    /// Compares names without the dashes, and ignores `=VALUE`.
    static List<String> ofOption(String word, List<String> names) {
        String bare = bare(word.contains("=") ? word.substring(0, word.indexOf('=')) : word);
        List<String> like = of(bare, names.stream().map(Suggestions::bare).collect(Collectors.toSet()));
        return like.stream()
                .map(name -> names.stream()
                        .filter(n -> bare(n).equals(name))
                        .findFirst()
                        .orElseThrow())
                .toList();
    }

    private static String bare(String option) {
        return option.replaceFirst("^-+", "");
    }
}
