package org.tutti.e2e.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Python;
import org.tutti.e2e.job.Way;

/// A rank of Tutti and a rank of mpi4py (in Debian built for Open MPI) exchange elements of each predefined
/// type, in messages in each direction and in collective calls.
@Tag("ci")
class ForeignTypesTest extends JobTest {
    private static final Path SCRIPT = Checkout.module("tutti-e2e").resolve("src/test/python/foreign_types.py");

    @Test
    void elementsOfEachTypeArriveUnchanged() throws Exception {
        Way.OPEN_MPI.require();
        ProcessOutcome outcome = Command.tutti(
                        "run",
                        "--mpi",
                        "openmpi",
                        "--jvm",
                        Command.RANKS_FLAG,
                        "-n",
                        "1",
                        "-cp",
                        Checkout.PROGRAMS.toString(),
                        "programs.python.ForeignTypes",
                        ":",
                        "-n",
                        "1",
                        SCRIPT.toString())
                .env("PATH", Python.path())
                .run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.out()).contains("Python exchanged 11 types", "Java exchanged 11 types");
    }
}
