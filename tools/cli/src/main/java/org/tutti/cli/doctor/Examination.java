package org.tutti.cli.doctor;

import java.util.Comparator;
import java.util.List;

/// All findings.
public record Examination(List<Section> sections) {
    /// The findings of a check.
    public record Section(String title, List<Finding> findings) {}

    /// Returns the worst grade.
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
