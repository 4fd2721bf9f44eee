package org.tutti.cli.doctor;

/// One check.
interface DoctorCheck {
    String title();

    void look(ExaminedMachine patient, CheckResults notes);
}
