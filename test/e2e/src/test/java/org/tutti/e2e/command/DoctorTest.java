package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.OpenCl;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Sandbox;
import org.tutti.e2e.job.Way;

/// On a faulty installation, `tutti doctor` names the problem and the fix.
class DoctorTest extends JobTest {
    /// Returns the output with each finding on one line.
    private static String flat(ProcessOutcome ended) {
        return ended.out().replaceAll("\\s+", " ");
    }

    private static ProcessOutcome check(Command command, int code) throws Exception {
        ProcessOutcome ended = command.run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(code);
        assertThat(ended.err()).as("%s", ended).isEmpty();
        return ended;
    }

    private static void require() {
        Way.OPEN_MPI.require();
        Way.MPICH.require();
    }

    /// Returns a command that changes the environment with `before` and then runs `tutti`.
    private static Command after(List<String> before, String... arguments) {
        List<String> line = new ArrayList<>(before);
        line.addAll(List.of(
                Checkout.java(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                Checkout.classPathText(),
                "org.tutti.cli.Main"));
        line.addAll(Arrays.asList(arguments));
        return Command.of(line);
    }

    @Test
    void listsTheInstallation() throws Exception {
        require();
        String out = flat(check(Command.tutti("doctor", "-n", "2"), 0));
        assertThat(out)
                .contains("cpus")
                .contains("a rank of 2 gets a heap of up to")
                .contains("/dev/shm has")
                .contains("Open MPI v")
                .contains("messages by pml")
                .contains("MPICH Version:")
                .contains("device ch")
                .contains("tutti run --engine libmpi without --mpi takes Open MPI, ");
    }

    @Test
    @Tag("full")
    void namesASmallDevShmAndHowToEnlargeIt() throws Exception {
        require();
        Sandbox small = Sandbox.withSharedMemory("1m");
        String out = flat(check(Command.tutti("doctor", "-n", "4").in(small), 1));
        assertThat(out)
                .contains("FAILS /dev/shm has 1 MiB")
                .contains("4 ranks of an MPI library need about 18 MiB")
                .contains("-> run over shm (no --engine); or give it more: docker run --shm-size 1g");
    }

    @Test
    @Tag("ci")
    void namesTheWrongMpirunFirstInPath() throws Exception {
        require();
        Path wrong = Checkout.scratch("wrong");
        Path hydra = Path.of("/usr/bin/mpiexec.hydra");
        Way.need(Files.isExecutable(hydra), hydra + " is not installed");
        Files.createSymbolicLink(wrong.resolve("mpirun"), hydra);
        Command command = Command.tutti("doctor").env("PATH", wrong + ":" + System.getenv("PATH"));
        String out = flat(check(command, 0));
        assertThat(out)
                .contains(
                        "WARN " + wrong + "/mpirun, the first mpirun on the PATH, is MPICH's, but Tutti takes Open MPI")
                .contains("becomes many times rank 0 of 1")
                .contains("-> start programs with tutti run, or by /usr/bin/mpirun.openmpi; or put /usr/bin before "
                        + wrong + " in PATH; if you want MPICH: tutti run --mpi mpich");
    }

    @Test
    @Tag("full")
    void namesFatalAndIneffectiveSettings() throws Exception {
        require();
        Command command = Command.tutti("doctor").env("OMPI_MCA_coll", "tuned").env("RCCL_BUFFSIZE", "67108864");
        String out = flat(check(command, 1));
        assertThat(out)
                .contains("FAILS OMPI_MCA_coll=tuned (environment) is FATAL HERE")
                .contains("-> use OMPI_MCA_coll_tuned_priority=100")
                .contains("WARN RCCL_BUFFSIZE=67108864 (environment) is FICTIONAL: No RCCL has ever had this name.")
                .contains("-> use NCCL_BUFFSIZE");
    }

    @Test
    @Tag("ci")
    void namesLimitedCpusStaleVariablesAndABrokenLibrary() throws Exception {
        Way.need(Way.isOnPath("taskset"), "taskset is not installed");
        Way.need(Runtime.getRuntime().availableProcessors() > 1, "two cores are required");
        Path broken = Checkout.scratch("broken").resolve("libmpi.so");
        Files.writeString(broken, "no library");
        Command command = after(List.of("taskset", "-c", "0"), "doctor")
                .env("RANK", "3")
                .env("WORLD_SIZE", "8")
                .env("TUTTI_LIBMPI", broken.toString());
        String out = flat(check(command, 1));
        assertThat(out)
                .contains("WARN this process may run on 1 of ")
                .contains("-> start tutti without taskset")
                .contains("FAILS a program started here exits immediately: RANK=3, WORLD_SIZE=8")
                .contains("-> unset RANK and WORLD_SIZE")
                .contains("FAILS TUTTI_LIBMPI=" + broken + " cannot be loaded: " + broken + ": file too short")
                .contains("-> unset TUTTI_LIBMPI");
    }

    @Test
    @Tag("full")
    void namesLimitsAndALoopbackThatIsDown() throws Exception {
        Way.need(Way.isOnPath("unshare") && Sandbox.common().isPrivate(), "this user may not unshare a network");
        Command command =
                after(List.of("unshare", "-n", "sh", "-c", "ulimit -n 150; exec \"$@\"", "sh"), "doctor", "-n", "16");
        String out = flat(check(command, 1));
        assertThat(out)
                .contains("FAILS open files: 150, and 16 ranks with their launcher need 256 -> ulimit -n 4096")
                .contains("FAILS the loopback interface is down")
                .contains("-> ip link set lo up");
    }

    @Test
    @Tag("ci")
    void ratesSettingsAndOptionsOfMpirun() throws Exception {
        require();
        Command command = Command.tutti(
                        "doctor",
                        "env",
                        "--",
                        "--map-by",
                        "ppr:1:gpu",
                        "--mca",
                        "coll_tunde_priority",
                        "1",
                        "-x",
                        "UCX_TLS=tcp")
                .env("OMPI_MCA_btl_sm_use_knem", "1")
                .env("PRTE_MCA_rmaps_default_mapping_policy", "core")
                .env("NCCL_P2P_DISABLE", "1")
                .env("RCCL_DIRECT", "1");
        String out = flat(check(command, 1));
        assertThat(out)
                .contains("FATAL HERE --map-by ppr:1:gpu (command line)")
                .contains("-> use --map-by ppr:N:numa")
                .contains("UNKNOWN --mca coll_tunde_priority 1 (command line)")
                .contains("-> did you mean OMPI_MCA_coll_tuned_priority?")
                .contains("OK UCX_TLS=tcp (command line, -x)")
                .contains("REMOVED since 3.0 OMPI_MCA_btl_sm_use_knem=1 (environment)")
                .contains("IGNORED PRTE_MCA_rmaps_default_mapping_policy=core (environment)")
                .contains("DEBUG-ONLY NCCL_P2P_DISABLE=1 (environment)")
                .contains("FICTIONAL RCCL_DIRECT=1 (environment)");
    }

    @Test
    @Tag("full")
    void listsDevicesAndTheAssignmentToRanks() throws Exception {
        OpenCl.require();
        Command command = Command.tutti("doctor", "gpu", "-n", "2").env("RCCL_DIRECT", "1");
        String out = flat(check(command, 0));
        assertThat(out)
                .contains("devices of the kind cuda ", "devices of the kind hip ")
                .contains("ok libOpenCL.so.1 is /")
                .containsPattern("ok opencl:0 is .*, UUID \\S+, \\d+ MiB, \\d+ multiprocessors?, ")
                .contains("ok opencl:0 runs kernels of its driver's compiler")
                .contains("ok host:0 runs kernels in Java")
                .containsPattern("ok rank 0 on \\S+: \\w+:0, ")
                .containsPattern("ok rank 1 on \\S+: \\w+:\\d, ")
                .containsPattern("ok send of 2 FLOAT on \\w+:\\d: in pieces")
                .containsPattern("ok allreduce of 1048576 FLOAT on \\w+:\\d: ")
                .contains("WARN RCCL_DIRECT=1 (environment) is FICTIONAL");
    }

    @Test
    @Tag("full")
    void namesAMissingRequiredDevice() throws Exception {
        Way.need(!Files.exists(Path.of("/dev/kfd")), "there may be a GPU of AMD's");
        String out = flat(check(
                Command.tutti("doctor", "gpu", "-n", "2")
                        .env("TUTTI_DEVICE", "hip")
                        .env("OCL_ICD_VENDORS", "/nowhere"),
                1));
        assertThat(out)
                .contains("FAILS TUTTI_DEVICE=hip requires a device of the kind hip, but none was found")
                .contains(
                        "FAILS TUTTI_DEVICE=hip requires a device, but ranks [0, 1] of 2 have none; rank 0: no device is"
                                + " visible")
                .contains("ok OCL_ICD_VENDORS=/nowhere: 0 devices are seen");
    }

    @Test
    void explainsANameAndSuggestsOne() throws Exception {
        String out = flat(check(Command.tutti("doctor", "explain", "NCCL_ALGO"), 0));
        assertThat(out).startsWith("NCCL_ALGO: DEBUG-ONLY, since NCCL 2.5").contains("source: NVIDIA/nccl");
        ProcessOutcome unknown = Command.tutti("doctor", "explain", "NCCL_ALG").run();
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.lastErrorLine()).isEqualTo("tutti: unknown: NCCL_ALG; did you mean NCCL_ALGO?");
    }
}
