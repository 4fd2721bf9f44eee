package org.tutti.testkit.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Python;
import org.tutti.testkit.job.Way;

/// Elements of each predefined type travel between a rank of Tutti and one of mpi4py, which is built for Open
/// MPI in Debian: in messages of both directions and in collective calls.
@Tag("ci")
class TypesOfOthersTest extends JobTest {
    private static final Path SCRIPT = Checkout.module("tutti-testkit").resolve("src/test/python/types_of_others.py");

    @Test
    void elementsOfEachTypeArriveAsTheyWereSent() throws Exception {
        Way.OPEN_MPI.require();
        Ended ended = Command.tutti(
                        "run",
                        "--mpi",
                        "openmpi",
                        "--jvm",
                        Command.RANKS_FLAG,
                        "-n",
                        "1",
                        "-cp",
                        Checkout.PROGRAMS.toString(),
                        "programs.python.TypesOfOthers",
                        ":",
                        "-n",
                        "1",
                        SCRIPT.toString())
                .env("PATH", Python.path())
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).contains("Python exchanged 11 types", "Java exchanged 11 types");
    }
}
