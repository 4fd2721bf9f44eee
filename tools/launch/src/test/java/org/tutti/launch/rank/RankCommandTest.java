package org.tutti.launch.rank;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.launch.program.Jars;
import org.tutti.launch.program.Program;
import org.tutti.launch.program.ProgramClasses;
import org.tutti.launch.program.ProgramSpec;
import org.tutti.launch.run.Run;

class RankCommandTest {
    @Test
    void theUsersLibrariesPrecedeTuttis() {
        ProgramSpec spec = new ProgramSpec(1, "Main", List.of(), "", List.of());
        Run run = Run.of("Main", List.of()).size(1).build();
        List<String> command = RankCommand.of(
                new Program.OfJava(spec, "Main", ProgramClasses.onPath("/user/jackson-core-2.9.0.jar")), run, 1, null);
        String path = command.get(command.indexOf("-cp") + 1);
        List<String> entries = List.of(path.split(":"));
        Jars ours = Jars.ofRanks();
        assertThat(ours.tutti()).isNotEmpty();
        assertThat(ours.libraries()).isNotEmpty();
        assertThat(entries.subList(0, ours.tutti().size())).isEqualTo(ours.tutti()); // required by the AOT cache
        assertThat(entries.get(ours.tutti().size())).isEqualTo("/user/jackson-core-2.9.0.jar");
        assertThat(entries.subList(ours.tutti().size() + 1, entries.size())).isEqualTo(ours.libraries());
    }
}
