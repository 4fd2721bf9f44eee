package org.tutti.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Way;

/// A JVM with somebody else's MPI library in it.
class NativeLibraryTest extends JobTest {
    @ParameterizedTest
    @EnumSource(Way.class)
    void theJvmKeepsItsSignalHandlers(Way way) throws Exception {
        Ended ended = Command.program(way, 2, List.of(), "Storm").run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).isEqualTo("caught 100020\n");
    }

    /// The classic: each process would be rank 0 of 1.
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"OPEN_MPI", "MPICH"})
    void aLibraryUnderTheOthersLauncherIsFatalAndNamesBoth(Way launcher) throws Exception {
        Way library = launcher == Way.OPEN_MPI ? Way.MPICH : Way.OPEN_MPI;
        launcher.require();
        library.require();
        List<String> line = new ArrayList<>(List.of(launcher.launcher(), "-n", "2", "env"));
        line.add("TUTTI_LIBMPI=" + library.options().getLast());
        line.addAll(List.of(Checkout.java(), "-XX:-UsePerfData"));
        line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        line.add(Checkout.classPathText() + ":" + Checkout.PROGRAMS);
        line.addAll(List.of("programs.Tells", "hello"));
        // What Open MPI leaves in there when it is aborted without its mpirun is not ours.
        Ended ended = Command.of(line)
                .env("TMPDIR", Checkout.scratch("tmp").toString())
                .run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.out()).as("%s", ended).doesNotContain("rank 0 of 1");
        assertThat(ended.err()).as("%s", ended).contains("Open MPI").contains("MPICH");
    }
}
