package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;
import org.tutti.job.environment.Host;

/// Invalid options for hosts, programs and JVMs: the command prints one line on stderr and ends with exit code
/// 2.
class LaunchUsageTest extends JobTest {
    private static final String HELLO = "examples/Hello.java";
    private static final String PROGRAMS = Checkout.PROGRAMS.toString();
    private static final String NOT_HERE =
            " names other machines than this (" + Host.name() + "); shared memory is for Java programs on one machine,"
                    + " without an MPI library; leave out --engine shm";

    private static final String OF_ONE_LAUNCHER =
            " and --nnodes 2: with the first, one tutti run starts the ranks of all machines; with the second, you"
                    + " start one on each; give one";

    private static Path directory;

    @BeforeAll
    static void write() throws Exception {
        directory = Checkout.scratch("usage");
        Files.writeString(directory.resolve("hosts"), "localhost slots=1\nnode7 slots=4\n");
        Files.writeString(directory.resolve("other"), "rank 0=node7 slot=0\n");
        Files.writeString(directory.resolve("wrong"), "rank 0=localhost slot=0\nrank one=localhost\n");
        Files.writeString(directory.resolve("short"), "rank 0=localhost slot=0\n");
        Files.writeString(directory.resolve("high"), "rank 0=localhost slot=50000\n");
        Files.writeString(directory.resolve("Some.class"), "");
        Files.writeString(directory.resolve("x.py"), "");
    }

    private static Arguments mistake(String arguments, String text) {
        return Arguments.of(arguments, text);
    }

    private static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake("-n 4 " + HELLO, "there is no command -n; did you mean tutti run -n 4 " + HELLO + "?"),
                mistake(HELLO, "there is no command " + HELLO + "; did you mean tutti run " + HELLO + "?"),
                mistake("run -n", "-n needs a value: -n N"),
                mistake("run -n 1 " + HELLO + " : -n", "-n needs a value: -n N"),
                mistake("bench latency -n", "-n needs a value: -n N"),
                mistake("run -n 99999 " + HELLO, "-n 99999: a job on one machine has at most 1024 ranks"),
                mistake(
                        "run -n 1000 " + HELLO + " : -n 1000 " + HELLO,
                        "the parts have 2000 ranks; a job on one machine has at most 1024 ranks"),
                mistake(
                        "run examples",
                        "examples is a directory; name a source file (Hello.java), a jar (app.jar), or a class with -cp"
                                + " <class path>"),
                mistake(
                        "run DIR/Some.class",
                        "DIR/Some.class is a class file; name the class and its class path, as in tutti run -cp DIR Some"),
                mistake(
                        "run -cp DIR/none.jar:" + PROGRAMS + " programs.Missing",
                        "no class programs.Missing on the class path DIR/none.jar:" + PROGRAMS
                                + ", of which DIR/none.jar is not there"),
                mistake(
                        "run -n 4 --jvm -Xfoo " + HELLO,
                        "--jvm -Xfoo: the JVM does not start: Unrecognized option: -Xfoo"),
                mistake("run --engine shm -H node7:2 " + HELLO, "--engine shm: -H node7:2" + NOT_HERE),
                mistake(
                        "run --engine shm --host localhost,node8 " + HELLO,
                        "--engine shm: -H localhost,node8" + NOT_HERE),
                mistake(
                        "run --engine shm --hostfile DIR/hosts " + HELLO,
                        "--engine shm: --hostfile DIR/hosts" + NOT_HERE),
                mistake(
                        "run -H node7,--x " + HELLO,
                        "-H node7,--x: --x is not a host name; hosts look like localhost," + " node7 or 10.0.0.7"),
                mistake(
                        "run --engine shm --mpi mpich " + HELLO,
                        "--engine shm: --mpi mpich names an MPI library; shared"
                                + " memory is for Java programs on one machine, without an MPI library; leave out --engine shm"),
                mistake(
                        "run --with tensorflow " + HELLO,
                        "--with tensorflow: there are torch (libtorch, PyTorch's core), torch-cuda (the same for NVIDIA's"
                                + " GPUs), djl (Deep Java Library), openmpi-java (Open MPI's Java bindings) and mpj (MPJ Express)"),
                mistake(
                        "run --with torch --with djl " + HELLO,
                        "--with torch --with djl: each contains a separate libtorch; give one"),
                mistake(
                        "run examples/TorchDdp.java",
                        "examples/TorchDdp.java imports org.bytedeco.pytorch, which is not on its class path; add --with"
                                + " torch"),
                mistake(
                        "run --with mpj examples/TorchDdp.java",
                        "examples/TorchDdp.java imports org.bytedeco.pytorch, which is not on its class path; add --with"
                                + " torch"),
                mistake("run --launcher ssh " + HELLO, "--launcher ssh: there are mpirun (the library's own) and srun"),
                mistake(
                        "run --launcher srun " + HELLO,
                        "--launcher srun: not inside a Slurm allocation; get one with salloc"
                                + " or sbatch, or leave --launcher out"),
                mistake(
                        "run -n 1 " + HELLO + " : -n 1 --jvm -ea DIR/x.py",
                        "--jvm is for Java programs, which DIR/x.py is not; leave it out"),
                mistake("run --machinefile DIR/none " + HELLO, "--hostfile DIR/none: the file does not exist"),
                mistake(
                        "run -n 5 -H localhost:4 " + HELLO,
                        "-n 5: -H localhost:4 are 4 slots; start fewer ranks, give more slots (localhost:5), or add"
                                + " --oversubscribe"),
                mistake(
                        "run -H localhost:all " + HELLO,
                        "-H localhost:all: slots are a whole number from 1, as in -H localhost:4, not all"),
                mistake(
                        "run --bind-to l3cache " + HELLO,
                        "--bind-to l3cache: there are core, hwthread, socket, numa and none"),
                mistake(
                        "run --map-by l2cache " + HELLO,
                        "--map-by l2cache: there are slot, core, hwthread, socket, numa and node, each with or without"
                                + " :PE=N for N cores per rank"),
                mistake(
                        "run --map-by core:PE=x " + HELLO,
                        "--map-by core:PE=x: PE is a whole number of cores from 1, as in --map-by core:PE=2"),
                mistake(
                        "run --map-by slot:PE=2 --bind-to numa " + HELLO,
                        "--bind-to numa: --map-by slot:PE=2 gives each rank separate cores; use core or hwthread"),
                mistake(
                        "run --cpu-set some " + HELLO,
                        "--cpu-set some: give numbers of cpus and ranges of them, as in --cpu-set 0,2-3"),
                mistake("run --rankfile DIR/none " + HELLO, "--rankfile DIR/none: the file does not exist"),
                mistake(
                        "run --engine shm --rankfile DIR/other " + HELLO,
                        "--engine shm: --rankfile DIR/other" + NOT_HERE),
                mistake(
                        "run --rankfile DIR/wrong " + HELLO,
                        "--rankfile DIR/wrong, line 2: rank one=localhost: lines look like rank 0=localhost slot=0-1"),
                mistake("run -n 2 --rankfile DIR/short " + HELLO, "--rankfile DIR/short has no line for rank 1 of 2"),
                mistake(
                        "run --rankfile DIR/short --map-by core " + HELLO,
                        "--rankfile and --map-by: both specify where ranks run; give one"),
                mistake(
                        "run -n 1 " + HELLO + " : --timeout 9 -n 1 " + HELLO,
                        "--timeout is in part 2 (" + HELLO
                                + ") but applies to the whole job; give it before the first program"),
                mistake(
                        "run -n 1 " + HELLO + " : " + HELLO,
                        "part 2 (" + HELLO + ") needs -n: with several programs, each needs a number of ranks"),
                mistake(
                        "run -n 1 " + HELLO + " :",
                        "part 2 names no program; separate two programs by one :, as in"
                                + " tutti run -n 1 A.java : -n 3 B.java"),
                mistake("run --nnodes", "--nnodes needs a value: --nnodes M"),
                mistake(
                        "run --nproc-per-node gpu " + HELLO,
                        "--nproc-per-node gpu: a whole number from 1 to 1024, how many ranks a node has"),
                mistake(
                        "run -n 2 --nproc_per_node 2 " + HELLO,
                        "-n 2 and --nproc-per-node 2: both specify the number of ranks; give one"),
                mistake(
                        "run --nproc_per_node 2 " + HELLO + " : -n 1 " + HELLO,
                        "--nproc-per-node 2: with several programs, each needs -n"),
                mistake(
                        "run -H node7:2 --nproc-per-node=2 " + HELLO,
                        "--nproc-per-node 2: there are several machines; specify the number of ranks with -n, and the"
                                + " slots of each machine, as in -H a:2,b:2"),
                mistake(
                        "run --nnodes 1:4 " + HELLO,
                        "--nnodes 1:4: a whole number from 1 to 16384, how many nodes there are"),
                mistake(
                        "run --node_rank 1 " + HELLO,
                        "--node-rank 1: only 0 is possible, there is one node unless --nnodes specifies more"),
                mistake(
                        "run --nnodes 2 --nproc-per-node 2 --master-addr a " + HELLO,
                        "--nnodes 2 needs --node-rank K, a whole number from 0 to 1: the number of this node"),
                mistake(
                        "run --nnodes 2 --node-rank 2 --nproc-per-node 2 --master-addr a " + HELLO,
                        "--node-rank 2: a whole number from 0 to 1, the number of this node"),
                mistake(
                        "run --nnodes 2 --node-rank 0 --nproc-per-node 2 " + HELLO,
                        "--nnodes 2 needs --master-addr HOST: the machine of node 0, to which the ranks connect"),
                mistake(
                        "run --nnodes 2 --node-rank 0 --nproc-per-node 2 --master-addr= " + HELLO,
                        "--master-addr '' is not a host name"),
                mistake(
                        "run --master_port 65536 " + HELLO,
                        "--master-port 65536: a whole number from 1 to 65535, where rank 0 listens"),
                mistake(
                        "run --nnodes 2 --node-rank 0 --master-addr a " + HELLO,
                        "--nnodes 2 needs --nproc-per-node N: how many ranks each node has"),
                mistake(
                        "run -n 4 --nnodes 2 --node-rank 0 --master-addr a " + HELLO,
                        "-n 4 and --nnodes 2: specify the ranks of each node with --nproc-per-node"),
                mistake(
                        "run --nnodes 2000 --node-rank 0 --nproc-per-node 9 --master-addr a " + HELLO,
                        "--nnodes 2000 and --nproc-per-node 9: a job has at most 16384 ranks"),
                mistake(
                        "run --nnodes 2 --node-rank 0 --master-addr a --nproc-per-node 1 --mpi mpich " + HELLO,
                        "--mpi mpich" + OF_ONE_LAUNCHER),
                mistake(
                        "run --nnodes 2 --node-rank 0 --master-addr a --nproc-per-node 1 -H a,b " + HELLO,
                        "-H a,b" + OF_ONE_LAUNCHER),
                mistake(
                        "run --nnodes 2 --node-rank 0 --master-addr a --nproc-per-node 1 --max-restarts 1 " + HELLO,
                        "--max-restarts 1 and --nnodes 2: the launchers of the nodes do not communicate, so"
                                + " that none can restart the ranks of other nodes; leave out --max-restarts"),
                mistake(
                        "run --profile --quiet " + HELLO,
                        "--profile and --quiet: the second suppresses the output of the first; leave out" + " one"),
                mistake("run --trace", "--trace needs a value: --trace FILE"),
                mistake("run --trace DIR " + HELLO, "--trace DIR is a directory; name a file in it"),
                mistake(
                        "run --trace DIR/none/out.json " + HELLO,
                        "--trace DIR/none/out.json: there is no directory DIR/none"),
                mistake(
                        "run --nnodes 2 --node-rank 0 --master-addr a --nproc-per-node 1 --trace out.json " + HELLO,
                        "--trace out.json and --nnodes 2: each launcher would record only the calls of its node's ranks"
                                + "; start the job by one tutti run, with -H"),
                mistake("run --max-restarts -1 " + HELLO, "--max-restarts -1: a whole number from 0 to 1000000"),
                mistake(
                        "run --max_restarts all " + HELLO,
                        "--max-restarts all: give a whole number of restarts, as in --max-restarts 3"),
                mistake(
                        "examples",
                        "the examples are in the directory examples of Tutti's source, and this tutti does not run from"
                                + " there; use its ./tutti examples"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void printsOneSentenceAndExitsWith2(String arguments, String text) throws Exception {
        ProcessOutcome ended =
                Command.here(arguments.replace("DIR", directory.toString()).split(" "));
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err()).isEqualTo("tutti: " + text.replace("DIR", directory.toString()) + "\n");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void unsupportedOptionsOfNativeLaunchersAreNamed() throws Exception {
        Way.MPICH.require();
        Way.OPEN_MPI.require();
        printsOneSentenceAndExitsWith2(
                "run --mpi mpich -H node7:2 --rankfile DIR/other -n 1 " + HELLO,
                "--rankfile DIR/other: MPICH's mpiexec cannot do that; specify the number of ranks of each host (-H a:1,b:3),"
                        + " or use Open MPI");
        printsOneSentenceAndExitsWith2(
                "run --mpi openmpi -H node7:2 --cpu-set 0 " + HELLO,
                "--cpu-set 0: Open MPI's mpirun cannot do that; over several hosts use --rankfile");
    }

    @Test
    void aMissingCpuIsNamed() throws Exception {
        ProcessOutcome set = Command.here("run", "--cpu-set", "50000", HELLO);
        assertThat(set.code()).isEqualTo(2);
        assertThat(set.err())
                .hasLineCount(1)
                .startsWith("tutti: --cpu-set 50000: cpu 50000 is not among the cpus of this job (");
        String file = directory.resolve("high").toString();
        ProcessOutcome high = Command.here("run", "--rankfile", file, HELLO);
        assertThat(high.code()).isEqualTo(2);
        assertThat(high.err())
                .hasLineCount(1)
                .startsWith(
                        "tutti: --rankfile " + file + ", line 1: slot=50000: there is no core 50000 here, but core");
    }

    @Test
    void moreBoundRanksThanCoresAreTooMany() throws Exception {
        ProcessOutcome ended = Command.here("run", "-n", "1000", "--bind-to", "hwthread", HELLO);
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.err())
                .matches(
                        "tutti: --bind-to hwthread: 1000 ranks would share \\d+ hwthreads?; start fewer ranks, leave it"
                                + " out, or add --oversubscribe\n");
    }

    @Test
    void aMissingClassPathEntryCausesANote() throws Exception {
        String missing = directory.resolve("none.jar").toString();
        ProcessOutcome ended = Command.tutti(
                        "run", "-n", "1", "-cp", missing + ":" + PROGRAMS, "programs.RankPrinter", "hello")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).isEqualTo("tutti: -cp: " + missing + " is not there, which Java ignores\n");
    }

    @Test
    @Tag("ci")
    void anExplicitCollectorReplacesTheDefault() throws Exception {
        ProcessOutcome ended = Command.program(
                        Way.SHM, 3, List.of("--jvm", "-XX:+UseParallelGC"), "RankPrinter", "hello")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }

    @Test
    void helpIsACommandAndAnOption() throws Exception {
        for (List<String> command : List.of(List.<String>of(), List.of("run"), List.of("examples"))) {
            List<String> asCommand = new ArrayList<>(List.of("help")), asOption = new ArrayList<>(command);
            asCommand.addAll(command);
            asOption.add("--help");
            ProcessOutcome help = Command.here(asCommand.toArray(new String[0]));
            assertThat(help.code()).as("%s", help).isZero();
            assertThat(help.out())
                    .startsWith("Usage: tutti ")
                    .isEqualTo(Command.here(asOption.toArray(new String[0])).out());
        }
    }

    /// An option after the program causes only a note, because the program may have an option of that name.
    @Test
    void anOptionAfterTheProgramCausesANote() throws Exception {
        String note = " follows " + HELLO + " and is passed to the program; options of tutti run precede the program\n";
        assertThat(noteOf("-n 1 " + HELLO + " -n 4")).isEqualTo("");
        assertThat(noteOf(HELLO + " -n 4")).isEqualTo("tutti: note: -n 4" + note);
        assertThat(noteOf(HELLO + " --engine=libmpi x")).isEqualTo("tutti: note: --engine=libmpi" + note);
        assertThat(noteOf(HELLO + " --check x")).isEqualTo("tutti: note: --check" + note);
        assertThat(noteOf("--quiet " + HELLO + " -n 4")).isEqualTo("");
        assertThat(noteOf(HELLO + " x -n 4")).isEqualTo("");
        assertThat(noteOf(HELLO + " -v")).isEqualTo("");
        assertThat(noteOf("-n 1 " + HELLO + " : -n 1 " + HELLO + " --jvm -ea"))
                .isEqualTo("tutti: note: --jvm -ea" + note);
    }

    private static String noteOf(String arguments) {
        ProcessOutcome ended = Command.here(("run --dry-run " + arguments).split(" "));
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended.err();
    }
}
