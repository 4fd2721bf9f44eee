package org.tutti.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/// Collects the findings of a check.
final class CheckResults {
    private final List<Finding> findings = new ArrayList<>();

    void ok(String text) {
        findings.add(new Finding(Grade.OK, text, null));
    }

    void warn(String text, String remedy) {
        add(Grade.WARN, text, remedy);
    }

    void fails(String text, String remedy) {
        add(Grade.FAILS, text, remedy);
    }

    void add(Grade grade, String text, String remedy) {
        findings.add(new Finding(grade, text, remedy));
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }
}
