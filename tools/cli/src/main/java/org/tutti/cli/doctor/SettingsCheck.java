package org.tutti.cli.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.tutti.cli.doctor.settings.Evaluation;
import org.tutti.cli.doctor.settings.Owner;
import org.tutti.cli.doctor.settings.Setting;
import org.tutti.cli.doctor.settings.Settings;
import org.tutti.cli.doctor.settings.SettingsEvaluator;
import org.tutti.cli.doctor.settings.SettingsTable;

/// Checks the settings in the environment and in files.
final class SettingsCheck implements DoctorCheck {
    private final String whose;
    private final Set<Owner> owners;

    /// @param whose the owners of the settings, in words
    /// @param owners the owners of the settings to check
    SettingsCheck(String whose, Set<Owner> owners) {
        this.whose = whose;
        this.owners = owners;
    }

    @Override
    public String title() {
        return "settings";
    }

    @Override
    public void look(ExaminedMachine patient, CheckResults notes) {
        SettingsTable knowledge = SettingsTable.load();
        List<Setting> settings = Settings.of(patient.env(), patient.root(), patient.home(), knowledge).stream()
                .filter(setting -> owners.contains(setting.owner()))
                .toList();
        SettingsEvaluator judge = new SettingsEvaluator(knowledge, new ThisMachine(patient));
        int fine = 0;
        for (Setting setting : settings) {
            Evaluation judgement = judge.judge(setting);
            String text = setting.words() + " (" + setting.origin() + ") is " + judgement.words() + ": "
                    + judgement.meaning();
            String remedy = judgement.remedy() == null ? "leave it out" : judgement.remedy();
            switch (judgement.verdict()) {
                case OK -> fine++;
                case FATAL -> notes.fails(text, remedy);
                case IGNORED, REMOVED, FICTIONAL, DEBUG_ONLY, UNKNOWN -> notes.look(text, remedy);
            }
        }
        if (settings.isEmpty()) {
            notes.ok("no settings of " + whose + " in the environment or in files");
        } else if (fine > 0) {
            notes.ok(fine + (fine == 1 ? " does" : " do") + " have the documented effect; tutti doctor env lists them");
        }
        List<Path> files = Settings.files(patient.env(), patient.root(), patient.home(), owners);
        if (!files.isEmpty()) {
            notes.ok("files: " + files.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
    }
}
