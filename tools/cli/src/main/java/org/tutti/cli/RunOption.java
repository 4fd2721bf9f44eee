package org.tutti.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The options of `tutti run`: the common definition for the quick parser and for picocli, which prints the help
/// and the errors.
enum RunOption {
    SIZE(
            Group.BASIC,
            "N",
            "Number of ranks. Default: the slots of -H, --hostfile or --rankfile, else the number of cores.",
            "-n",
            "-np"),
    ENGINE(
            Group.BASIC,
            "ENGINE",
            "shm: shared memory, nothing to install (the default on one machine). libmpi: the machine's MPI library"
                    + " (the default on several).",
            "--engine"),
    MPI(
            Group.BASIC,
            "LIBRARY",
            "For libmpi: openmpi, mpich, abi (libmpi_abi.so.1) or the path of a library. Default: Open MPI, else MPICH.",
            "--mpi"),
    LAUNCHER(
            Group.PLACE,
            "LAUNCHER",
            "The launcher of ranks for libmpi: mpirun (of the library) or srun. Default: srun in a Slurm allocation, if"
                    + " it supports the library.",
            "--launcher"),
    LAUNCHER_ARG(
            Group.PLACE, "OPT", "An option for that launcher, passed on unchanged; may be repeated.", "--launcher-arg"),
    CLASS_PATH(Group.BASIC, "PATH", "Class path of the program.", "-cp", "--class-path"),
    WITH(
            Group.BASIC,
            "LIBRARY",
            "Additional library: a tensor library, torch (libtorch), torch-cuda or djl; or package mpi of a legacy"
                    + " API, openmpi-java (Open MPI's Java bindings) or mpj (MPJ Express).",
            "--with"),
    JVM(Group.BASIC, "OPT", "An option for every rank's JVM; may be repeated.", "--jvm"),
    HOST(Group.PLACE, "HOST[:SLOTS],...", "Where ranks run, and how many: localhost:4, or a:2,b:2.", "-H", "--host"),
    HOSTFILE(Group.PLACE, "FILE", "The same in a file of lines: a slots=4.", "--hostfile", "--machinefile"),
    OVERSUBSCRIBE(
            Group.PLACE,
            null,
            "Allow more ranks than slots, and ranks that are bound to the same core.",
            "--oversubscribe"),
    BIND_TO(
            Group.PLACE,
            "OBJECT",
            "Bind each rank to a core, hwthread, socket or numa node, or none. Default: the object of --map-by, else none.",
            "--bind-to"),
    MAP_BY(
            Group.PLACE,
            "OBJECT[:PE=N]",
            "Place ranks by slot, core, hwthread, socket, numa or node; with PE=N each gets N cores.",
            "--map-by"),
    CPU_SET(Group.PLACE, "CPUS", "The only cpus that ranks may run on, as in 0,2-3.", "--cpu-set", "--cpu-list"),
    RANKFILE(Group.PLACE, "FILE", "Where each rank runs, in lines: rank 0=localhost slot=0-1.", "--rankfile"),
    REPORT_BINDINGS(Group.PLACE, null, "Print the cpus of each rank.", "--report-bindings"),
    ENV(Group.BASIC, "NAME[=VALUE]", "An environment variable for every rank; may be repeated.", "-x"),
    WDIR(Group.BASIC, "DIR", "Working directory of the ranks.", "--wdir"),
    NPROC_PER_NODE(
            Group.TORCHRUN,
            "N",
            "As in torchrun: -n on one machine; with --nnodes, the ranks of each machine.",
            "--nproc-per-node",
            "--nproc_per_node"),
    NNODES(
            Group.TORCHRUN,
            "M",
            "Number of machines; start one tutti run on each. Ranks connect by torchrun's variables.",
            "--nnodes"),
    NODE_RANK(Group.TORCHRUN, "K", "The number of this machine, from 0.", "--node-rank", "--node_rank"),
    MASTER_ADDR(
            Group.TORCHRUN,
            "HOST",
            "The machine of node 0, to which ranks connect. Default on one machine: localhost.",
            "--master-addr",
            "--master_addr"),
    MASTER_PORT(
            Group.TORCHRUN,
            "PORT",
            "The port of node 0. Default: 29500; on one machine, a free port.",
            "--master-port",
            "--master_port"),
    POOL(
            Group.BASIC,
            null,
            "Rank 0 runs the program, the other ranks are workers of its pool (RankPool.run). On shared"
                    + " memory, the death of a worker loses only its task.",
            "--pool"),
    MAX_RESTARTS(
            Group.END,
            "R",
            "Restart all ranks after a failure, at most R times; TUTTI_RESTART is the number of the restart. Default: 0.",
            "--max-restarts",
            "--max_restarts"),
    TAG_OUTPUT(
            Group.OUTPUT, null, "Begin each line with [rank], even if the output is not a terminal.", "--tag-output"),
    OUTPUT_DIR(Group.BASIC, "DIR", "Also store the output of each rank in DIR/rank-R.out and .err.", "--output-dir"),
    TIMEOUT(Group.BASIC, "SECONDS", "End the job after that time, with exit code 124.", "--timeout"),
    GRACE(
            Group.END,
            "SECONDS",
            "How long ranks may run after SIGTERM or Ctrl-C before being killed. Default: 30. A second signal"
                    + " kills ranks immediately.",
            "--grace"),
    STALL(
            Group.DIAGNOSIS,
            "SECONDS",
            "Print what ranks wait for after this time without progress. Default: 10; 0 for never.",
            "--stall"),
    CHECK(
            Group.DIAGNOSIS,
            null,
            "Compare every call with the calls of the other ranks, and record its line; slow. By default, over a library the"
                    + " first calls and some later ones are compared.",
            "--check"),
    STALL_ABORT(Group.DIAGNOSIS, null, "End a stalled job, with exit code 1.", "--stall-abort"),
    DEBUG(
            Group.DIAGNOSIS,
            "RANKS",
            "Ranks that wait for a debugger before the first line, as in 0,2 or all; prints how to attach.",
            "--debug"),
    DEBUG_NOSUSPEND(Group.DIAGNOSIS, null, "With --debug: ranks do not wait for the debugger.", "--debug-nosuspend"),
    PROFILE(
            Group.BASIC,
            null,
            "Print at the end where time was spent: calls of each rank and line, and late ranks.",
            "--profile"),
    TRACE(Group.DIAGNOSIS, "FILE", "Write all calls, messages and pauses to a file for ui.perfetto.dev.", "--trace"),
    COLOR(
            Group.OUTPUT,
            "WHEN",
            "Color on terminals: auto (the default; off with NO_COLOR), always or never.",
            "--color"),
    DRY_RUN(Group.OUTPUT, null, "Print the commands without starting ranks.", "--dry-run"),
    QUIET(
            Group.OUTPUT,
            null,
            "Print no messages of tutti; with --output-dir, the output of ranks is only stored there.",
            "--quiet");

    /// The groups in the help.
    enum Group {
        BASIC("Options:"),
        PLACE("Where ranks run:"),
        OUTPUT("Output:"),
        END("Failures and the end:"),
        DIAGNOSIS("Diagnosis:"),
        TORCHRUN("As in torchrun:");

        final String heading;

        Group(String heading) {
            this.heading = heading;
        }
    }

    private static final RunOption[] ALL = values();

    final Group group;

    /// The name of the value; null for an option without a value.
    final @Nullable String parameter;

    final String help;
    final String[] names;

    RunOption(Group group, @Nullable String parameter, String help, String... names) {
        this.group = group;
        this.parameter = parameter;
        this.help = help;
        this.names = names;
    }

    /// Whether the option applies to one program of a job, not to the whole job.
    boolean isOfAProgram() {
        return this == SIZE || this == CLASS_PATH || this == WITH || this == JVM;
    }

    /// Returns the valid values, for completion; empty if the value is not one of a fixed list.
    List<String> words() {
        return switch (this) {
            case ENGINE -> List.of("shm", "libmpi");
            case MPI -> List.of("openmpi", "mpich", "abi");
            case LAUNCHER -> List.of("mpirun", "srun");
            case WITH -> List.of("torch", "torch-cuda", "djl", "openmpi-java", "mpj");
            case BIND_TO -> List.of("core", "hwthread", "socket", "numa", "none");
            case MAP_BY -> List.of("slot", "core", "hwthread", "socket", "numa", "node");
            case COLOR -> List.of("auto", "always", "never");
            default -> List.of();
        };
    }

    static @Nullable RunOption named(String name) {
        for (RunOption option : ALL) {
            for (String n : option.names) if (n.equals(name)) return option;
        }
        return null;
    }
}
