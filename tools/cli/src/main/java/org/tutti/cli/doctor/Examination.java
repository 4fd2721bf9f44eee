package org.tutti.cli.doctor;

import java.util.Comparator;
import java.util.List;

/// All that was found.
public record Examination(List<Section> sections) {
    /// What was found of one thing.
    public record Section(String title, List<Finding> findings) {}

    /// The worst grade of all.
    public Grade worst() {
        return findings().stream()
                .map(Finding::grade)
                .max(Comparator.naturalOrder())
                .orElse(Grade.OK);
    }

    public List<Finding> findings() {
        return sections.stream().flatMap(section -> section.findings().stream()).toList();
    }
}
