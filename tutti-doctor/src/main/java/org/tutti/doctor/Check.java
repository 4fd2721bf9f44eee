package org.tutti.doctor;

/// Looks at one thing.
interface Check {
    String title();

    void look(Patient patient, Notes notes);
}
