package org.tutti.cli.doctor;

/// One check.
interface DoctorCheck {
    String title();

    void run(ExaminedMachine examined, CheckResults notes);
}
