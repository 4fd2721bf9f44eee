package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
@ResourceLock(Resources.SYSTEM_ERR)
class ExportCommandTest {
    private static final Path SCRIPT =
            MainOutcome.ROOT.resolve("tools/cli/src/main/resources/org/tutti/cli/export/tutti_export.py");

    @TempDir
    Path directory;

    @Test
    void writesTheScript() {
        Path target = directory.resolve("new/tutti_export.py");
        for (int i = 0; i < 2; i++) { // the second time, the file exists with this content
            MainOutcome outcome =
                    MainOutcome.of("export", directory.resolve("new").toString());
            assertThat(outcome).isEqualTo(new MainOutcome(0, target + "\n", ""));
            assertThat(target).hasSameBinaryContentAs(SCRIPT);
        }
    }

    @Test
    void overwritesNoFile() throws Exception {
        Path mine = Files.writeString(directory.resolve("tutti_export.py"), "mine");
        MainOutcome outcome = MainOutcome.of("export", directory.toString());
        assertThat(outcome)
                .isEqualTo(new MainOutcome(
                        2, "", "tutti: export: " + mine + " exists; name another directory: tutti export DIR\n"));
        assertThat(mine).hasContent("mine");
    }

    @Test
    void aFileIsNoDirectory() {
        MainOutcome outcome = MainOutcome.of("export", SCRIPT.toString());
        assertThat(outcome.code()).isEqualTo(2);
        assertThat(outcome.err()).startsWith("tutti: export: " + SCRIPT);
    }

    /// The help shows a call that the script accepts.
    @Test
    void theHelpNamesTheFunction() throws Exception {
        assertThat(MainOutcome.of("export", "--help").out()).contains("  tutti_export(model, {", "sequence=[");
        assertThat(Files.readString(SCRIPT))
                .contains("\ndef tutti_export(model, inputs, path, sequence=(), train=True):\n");
    }
}
