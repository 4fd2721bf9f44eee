package org.tutti.cli.doctor;

/// Looks at one thing.
interface DoctorCheck {
    String title();

    void look(ExaminedMachine patient, CheckResults notes);
}
