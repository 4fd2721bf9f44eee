package org.tutti.cli.doctor.settings;

import java.util.Collection;
import java.util.List;
import org.tutti.launch.text.EditDistance;

/// Suggestions for misspelled settings.
final class SimilarNames {
    private SimilarNames() {}

    /// Returns the nearest names, at most two; the distance is at most 1, or at most a fifth of the name's
    /// letters if this is more.
    static List<String> of(String name, Collection<String> known) {
        return EditDistance.similar(name, known, Math.max(1, name.length() / 5));
    }
}
