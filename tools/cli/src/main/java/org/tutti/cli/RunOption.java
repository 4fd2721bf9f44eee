package org.tutti.cli;

import org.jspecify.annotations.Nullable;

/// The options of `tutti run`: the only definition, for the quick parser and for the help and the errors of
/// picocli.
enum RunOption {
    SIZE(
            "N",
            "Number of ranks. Default: the slots of -H, --hostfile or --rankfile, else the number of cores.",
            "-n",
            "-np"),
    ENGINE(
            "ENGINE",
            "shm: shared memory, nothing to install (the default on one machine). libmpi: the machine's MPI library"
                    + " (the default on several).",
            "--engine"),
    MPI(
            "LIBRARY",
            "For libmpi: openmpi, mpich, abi (libmpi_abi.so.1) or the path of a library. Default: Open MPI, else MPICH.",
            "--mpi"),
    LAUNCHER(
            "LAUNCHER",
            "The launcher of ranks for libmpi: mpirun (of the library) or srun. Default: srun in a Slurm allocation, if"
                    + " it supports the library.",
            "--launcher"),
    LAUNCHER_ARG("OPT", "An option for that launcher, passed on unchanged; may be repeated.", "--launcher-arg"),
    CLASS_PATH("PATH", "Class path of the program.", "-cp", "--class-path"),
    WITH(
            "LIBRARY",
            "Additional library: a tensor library, torch (libtorch), torch-cuda or djl; or package mpi of a legacy"
                    + " API, openmpi-java (Open MPI's Java bindings) or mpj (MPJ Express).",
            "--with"),
    JVM("OPT", "An option for every rank's JVM; may be repeated.", "--jvm"),
    HOST("HOST[:SLOTS],...", "Where ranks run, and how many: localhost:4, or a:2,b:2.", "-H", "--host"),
    HOSTFILE("FILE", "The same in a file of lines: a slots=4.", "--hostfile", "--machinefile"),
    OVERSUBSCRIBE(null, "Allow more ranks than slots, and ranks that are bound to the same core.", "--oversubscribe"),
    BIND_TO(
            "OBJECT",
            "Bind each rank to a core, hwthread, socket or numa node, or none. Default: the object of --map-by, else none.",
            "--bind-to"),
    MAP_BY(
            "OBJECT[:PE=N]",
            "Place ranks by slot, core, hwthread, socket, numa or node; with PE=N each gets N cores.",
            "--map-by"),
    CPU_SET("CPUS", "The only cpus that ranks may run on, as in 0,2-3.", "--cpu-set", "--cpu-list"),
    RANKFILE("FILE", "Where each rank runs, in lines: rank 0=localhost slot=0-1.", "--rankfile"),
    REPORT_BINDINGS(null, "Print the cpus of each rank.", "--report-bindings"),
    ENV("NAME[=VALUE]", "An environment variable for every rank; may be repeated.", "-x"),
    WDIR("DIR", "Working directory of the ranks.", "--wdir"),
    NPROC_PER_NODE(
            "N",
            "As in torchrun: -n on one machine; with --nnodes, the ranks of each machine.",
            "--nproc-per-node",
            "--nproc_per_node"),
    NNODES("M", "Number of machines; start one tutti run on each. Ranks connect by torchrun's variables.", "--nnodes"),
    NODE_RANK("K", "The number of this machine, from 0.", "--node-rank", "--node_rank"),
    MASTER_ADDR(
            "HOST",
            "The machine of node 0, to which ranks connect. Default on one machine: localhost.",
            "--master-addr",
            "--master_addr"),
    MASTER_PORT(
            "PORT",
            "The port of node 0. Default: 29500; on one machine, a free port.",
            "--master-port",
            "--master_port"),
    POOL(
            null,
            "Rank 0 runs the program, the other ranks are workers of its pool (RankPool.run). On shared"
                    + " memory, the death of a worker loses only its task.",
            "--pool"),
    MAX_RESTARTS(
            "R",
            "Restart all ranks after a failure, at most R times; TUTTI_RESTART is the number of the restart. Default: 0.",
            "--max-restarts",
            "--max_restarts"),
    TAG_OUTPUT(null, "Begin each line with [rank], even if the output is not a terminal.", "--tag-output"),
    OUTPUT_DIR("DIR", "Also store the output of each rank in DIR/rank-R.out and .err.", "--output-dir"),
    TIMEOUT("SECONDS", "End the job after that time, with exit code 124.", "--timeout"),
    GRACE(
            "SECONDS",
            "How long ranks may run after SIGTERM or Ctrl-C before being killed. Default: 30. A second signal"
                    + " kills ranks immediately.",
            "--grace"),
    STALL(
            "SECONDS",
            "Print what ranks wait for after this time without progress. Default: 10; 0 for never.",
            "--stall"),
    CHECK(
            null,
            "Compare every call with the calls of the other ranks, and record its line; slow. By default, over a library the"
                    + " first calls and some later ones are compared.",
            "--check"),
    STALL_ABORT(null, "End a stalled job, with exit code 1.", "--stall-abort"),
    DEBUG(
            "RANKS",
            "Ranks that wait for a debugger before the first line, as in 0,2 or all; prints how to attach.",
            "--debug"),
    DEBUG_NOSUSPEND(null, "With --debug: ranks do not wait for the debugger.", "--debug-nosuspend"),
    PROFILE(null, "Print at the end where time was spent: calls of each rank and line, and late ranks.", "--profile"),
    TRACE("FILE", "Write all calls, messages and pauses to a file for ui.perfetto.dev.", "--trace"),
    DRY_RUN(null, "Print the commands without starting ranks.", "--dry-run"),
    QUIET(null, "Print no messages of tutti; with --output-dir, the output of ranks is only stored there.", "--quiet");

    private static final RunOption[] ALL = values();

    /// The name of the value; null for an option without a value.
    final @Nullable String parameter;

    final String help;
    final String[] names;

    RunOption(@Nullable String parameter, String help, String... names) {
        this.parameter = parameter;
        this.help = help;
        this.names = names;
    }

    /// Whether the option applies to one program of a job, not to the whole job.
    boolean isOfAProgram() {
        return this == SIZE || this == CLASS_PATH || this == WITH || this == JVM;
    }

    static @Nullable RunOption named(String name) {
        for (RunOption option : ALL) {
            for (String n : option.names) if (n.equals(name)) return option;
        }
        return null;
    }
}
