package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// Programs that violate the standard but run with the original library. The programs also run with the
/// drop-in, or the first screen of the API's page describes the difference. One job tests all facts of an API.
class DropInLenientTest extends JobTest {
    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI})
    void openMpisBindingsAcceptIt(Way way) throws Exception {
        List<String> asWith = List.of("-x", "TUTTI_API=openmpi-java"); // as --with openmpi-java does
        ProcessOutcome ended = DropInPrograms.OPENMPI
                .job(way, 2, asWith, List.of(), "LenientFacts")
                .run();
        holds(ended, 19);
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.OPEN_MPI})
    @Tag("ci")
    void mpjExpressAcceptsIt(Way way) throws Exception {
        List<String> little = List.of("--jvm", "-XX:MaxDirectMemorySize=32m");
        String[] program = {"MpjLenientFacts", "0", "0", "native", "x"};
        holds(DropInPrograms.MPJ.job(way, 2, little, List.of(), program).run(), 11);
    }

    private static void holds(ProcessOutcome ended, int facts) {
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).doesNotContain("FAILED");
        assertThat(ended.out().lines().filter(l -> l.startsWith("ok ")))
                .as("%s", ended)
                .hasSize(facts);
    }

    /// These APIs have no `Mpi.init` and `Mpi.close`, so reports must not mention these methods.
    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    @Tag("ci")
    void reportsNameTheProgramsApi(Way way) throws Exception {
        ProcessOutcome ended = DropInPrograms.OPENMPI
                .job(way, 2, List.of("-x", "TUTTI_API=openmpi-java"), List.of(), "LenientFacts", "exit")
                .run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.err()).as("%s", ended).contains("without MPI.Finalize").doesNotContain("Mpi.");
    }

    /// A receive buffer that is larger than the root's send is an error. The report is in bytes, with a note in
    /// the terms of the program.
    @Test
    @Tag("ci")
    void aScatterIntoALargerBufferNamesTheType() throws Exception {
        ProcessOutcome ended = DropInPrograms.OPENMPI
                .job(Way.SHM, 2, List.of(), List.of(), "LenientFacts", "scatter")
                .run();
        assertThat(ended.code()).as("%s", ended).isNotZero();
        assertThat(ended.err())
                .as("%s", ended)
                .contains(
                        "rank 0 sends 8 bytes where rank 1 expects 20 bytes",
                        "the receive count on this rank is 5 of MPI_INT32_T; it must equal the count that the root");
    }
}
