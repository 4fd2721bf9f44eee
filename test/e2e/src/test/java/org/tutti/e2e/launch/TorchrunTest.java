package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.e2e.job.Ways;

/// `tutti run` with the options of torchrun, on one node, and on several nodes on which it is started
/// separately.
class TorchrunTest extends JobTest {
    private static final List<String> SECOND_OF_TWO =
            List.of("--nnodes=2", "--node_rank=1", "--nproc_per_node=2", "--master_addr=node0");

    private static Command command(List<String> options, String... program) {
        List<String> arguments = new ArrayList<>(List.of("run", "--jvm", Command.RANKS_FLAG));
        arguments.addAll(options);
        arguments.addAll(List.of("-cp", Checkout.PROGRAMS.toString(), "programs." + program[0]));
        arguments.addAll(Arrays.asList(program).subList(1, program.length));
        // variables in the shell from an earlier use of torchrun
        return Command.tutti(arguments.toArray(new String[0])).env("RANK", "5").env("WORLD_SIZE", "9");
    }

    private static ProcessOutcome run(List<String> options, String... program) throws Exception {
        ProcessOutcome outcome = command(options, program).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        return outcome;
    }

    @ParameterizedTest
    @Ways(
            quick = Way.SHM,
            ci = {Way.SHM, Way.MPICH})
    void ranksOfOneNodeReceiveTorchrunVariables(Way way) throws Exception {
        way.require();
        List<String> options = new ArrayList<>(List.of("--nproc-per-node", "2", "--master-addr", "127.0.0.1"));
        options.addAll(way.options());
        assertThat(run(options, "Torchruns", "print").sortedOut())
                .containsExactly(
                        "{GROUP_RANK=0, LOCAL_RANK=0, LOCAL_WORLD_SIZE=2, MASTER_ADDR=127.0.0.1, RANK=0, TUTTI_RANK=0,"
                                + " WORLD_SIZE=2}",
                        "{GROUP_RANK=0, LOCAL_RANK=1, LOCAL_WORLD_SIZE=2, MASTER_ADDR=127.0.0.1, RANK=1, TUTTI_RANK=1,"
                                + " WORLD_SIZE=2}");
        if (way == Way.SHM) {
            assertThat(run(options, "RankPrinter", "hello").sortedOut()).containsExactly("rank 0 of 2", "rank 1 of 2");
        }
    }

    @ParameterizedTest
    @Ways(quick = Way.SHM)
    void staleTorchrunVariablesAreRemoved(Way way) throws Exception {
        way.require();
        List<String> options = new ArrayList<>(List.of("-n", "2"));
        options.addAll(way.options());
        assertThat(run(options, "RankPrinter", "environment", "WORLD_SIZE").sortedOut())
                .containsExactly("rank 0 of 2: WORLD_SIZE=null", "rank 1 of 2: WORLD_SIZE=null");
    }

    @Test
    void ranksOfSeveralNodesAreNumberedConsecutively() throws Exception {
        assertThat(run(SECOND_OF_TWO, "Torchruns", "print").sortedOut())
                .containsExactly(
                        "{GROUP_RANK=1, LOCAL_RANK=0, LOCAL_WORLD_SIZE=2, MASTER_ADDR=node0, RANK=2, WORLD_SIZE=4}",
                        "{GROUP_RANK=1, LOCAL_RANK=1, LOCAL_WORLD_SIZE=2, MASTER_ADDR=node0, RANK=3, WORLD_SIZE=4}");
    }

    @Test
    void failureStopsNodeAndNamesWorldRank() throws Exception {
        ProcessOutcome outcome = command(SECOND_OF_TWO, "Torchruns", "fail").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .startsWith("tutti: rank 3 failed first: java.lang.IllegalStateException: rank 3 throws on purpose at"
                        + " programs.Torchruns.main(Torchruns.java:")
                .endsWith("; rank 2 was stopped");
    }

    @Test
    @Tag("full")
    void twoNodesConnectOverGloo() throws Exception {
        boolean built = Files.isDirectory(Checkout.ROOT.resolve("train/train-torch/target/lib"));
        Way.need(built, "tutti-train-torch is not packaged");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Child second = node(1, port).start();
        ProcessOutcome first = node(0, port).run();
        assertThat(first.code()).as("%s", first).isZero();
        assertThat(first.out())
                .as("%s", first)
                .contains("Rank 0, Loss: ")
                .doesNotContain("Rank 1")
                .contains("the models of 2 ranks are the same");
        ProcessOutcome other = second.await();
        assertThat(other.code()).as("%s", other).isZero();
        assertThat(other.out()).as("%s", other).contains("Rank 1, Loss: ");
    }

    private static Command node(int rank, int port) {
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT);
        List<String> arguments = List.of(
                "run",
                "--with=torch",
                "--nnodes=2",
                "--nproc-per-node=1",
                "--node-rank=" + rank,
                "--master-addr=127.0.0.1",
                "--master-port=" + port,
                "examples/TorchDdp.java");
        return Command.launcher(flags, arguments);
    }

    @Test
    void mpiOnSeparateNodesIsRejected() throws Exception {
        ProcessOutcome outcome = command(SECOND_OF_TWO, "RankPrinter", "hello").run();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
        assertThat(outcome.out()).as("%s", outcome).isEmpty();
        assertThat(outcome.lastErrorLine())
                .as("%s", outcome)
                .contains(" of tutti run --nnodes: the nodes were started separately, and the ranks connect through"
                        + " ProcessGroup.init of org.tutti.train, not through MPI; ");
    }
}
