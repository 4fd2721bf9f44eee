package org.tutti.launch.job;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.UsageException;
import org.tutti.launch.run.Run;

class LauncherTest {
    @Test
    void explainsProgramsThatCannotBeStarted() {
        assertThatThrownBy(() -> Run.of("A.java", List.of()).size(0)).hasMessage("-n 0: a job has at least 1 rank");
        assertThatThrownBy(() -> Run.of("A.java", List.of()).engine("tcp")).hasMessageContaining("there are shm");
        assertThatThrownBy(() -> Launcher.run(Run.of("Nowhere.java", List.of()).build()))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("no file Nowhere.java here");
        assertThatThrownBy(() -> Launcher.run(
                        Run.of("no.such.Main", List.of()).classPath("x.jar").build()))
                .hasMessageStartingWith("no class no.such.Main on the class path");
    }
}
