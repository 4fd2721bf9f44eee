package org.tutti.cli.doctor;

/// Looks at one thing.
interface DoctorCheck {
    String title();

    void look(Patient patient, Notes notes);
}
