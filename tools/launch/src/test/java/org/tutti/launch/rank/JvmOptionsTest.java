package org.tutti.launch.rank;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.UsageException;
import org.tutti.launch.program.ProgramSpec;

class JvmOptionsTest {
    private static void check(String... options) {
        JvmOptions.check(new ProgramSpec(1, "", List.of(), null, List.of(options)), 2, 0);
    }

    /// Java would interpret the argument as the name of the main class.
    @Test
    void aWordThatIsNoOptionIsRejected() {
        for (String[] wrong : new String[][] {{"nonsense"}, {""}, {"-Da=b", ""}}) {
            assertThatThrownBy(() -> check(wrong))
                    .isInstanceOf(UsageException.class)
                    .hasMessage(
                            "--jvm '" + wrong[wrong.length - 1] + "': not an option of the JVM; options begin with -");
        }
    }

    @Test
    void valuesOfOptionsAndFilesOfOptionsAreAccepted() {
        assertThatCode(() -> check("--add-modules", "java.sql")).doesNotThrowAnyException();
        assertThatCode(() -> check("@options.txt")).doesNotThrowAnyException();
    }
}
