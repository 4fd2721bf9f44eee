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
    private final String title;
    private final Set<Owner> owners;

    /// @param title the owners of the settings, as text
    /// @param owners the owners of the settings to check
    SettingsCheck(String title, Set<Owner> owners) {
        this.title = title;
        this.owners = owners;
    }

    @Override
    public String title() {
        return "settings";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        SettingsTable knowledge = SettingsTable.load();
        List<Setting> settings = Settings.of(examined.env(), examined.root(), examined.home(), knowledge).stream()
                .filter(setting -> owners.contains(setting.owner()))
                .toList();
        SettingsEvaluator evaluator = new SettingsEvaluator(knowledge, new ThisMachine(examined));
        int fine = 0;
        for (Setting setting : settings) {
            Evaluation evaluation = evaluator.evaluate(setting);
            String text = setting.words() + " (" + setting.origin() + ") is " + evaluation.words() + ": "
                    + evaluation.meaning();
            String remedy = evaluation.remedy() == null ? "leave it out" : evaluation.remedy();
            switch (evaluation.verdict()) {
                case OK -> fine++;
                case FATAL -> notes.fails(text, remedy);
                case IGNORED, REMOVED, FICTIONAL, DEBUG_ONLY, UNKNOWN -> notes.warn(text, remedy);
            }
        }
        if (settings.isEmpty()) {
            notes.ok("no settings of " + title + " in the environment or in files");
        } else if (fine > 0) {
            notes.ok(fine + (fine == 1 ? " does" : " do") + " have the documented effect; tutti doctor env lists them");
        }
        List<Path> files = Settings.files(examined.env(), examined.root(), examined.home(), owners);
        if (!files.isEmpty()) {
            notes.ok("files: " + files.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
    }
}
