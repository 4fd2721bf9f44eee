package org.tutti.cli;

import org.jspecify.annotations.Nullable;

/// The options of `tutti run`: the one place where they are written down, for the quick parser, for picocli's
/// help and for its errors.
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
            "What starts ranks for libmpi: mpirun, the library's own, or srun. Default: srun in a Slurm allocation, if"
                    + " it speaks to the library.",
            "--launcher"),
    LAUNCHER_ARG("OPT", "An option for that launcher, as it is; may be repeated.", "--launcher-arg"),
    CLASS_PATH("PATH", "Class path of the program.", "-cp", "--class-path"),
    WITH(
            "LIBRARY",
            "Beside the program's class path: a tensor library, torch (libtorch), torch-cuda or djl; or package mpi of an older"
                    + " API, openmpi-java (Open MPI's Java bindings) or mpj (MPJ Express).",
            "--with"),
    JVM("OPT", "An option for every rank's JVM; may be repeated.", "--jvm"),
    HOST("HOST[:SLOTS],...", "Where ranks run, and how many there may be: localhost:4, or a:2,b:2.", "-H", "--host"),
    HOSTFILE("FILE", "The same in a file of lines: a slots=4.", "--hostfile", "--machinefile"),
    OVERSUBSCRIBE(null, "Allow more ranks than slots, and ranks that are bound to the same core.", "--oversubscribe"),
    BIND_TO(
            "OBJECT",
            "Bind each rank to a core, hwthread, socket or numa node, or none. Default: what --map-by names, else none.",
            "--bind-to"),
    MAP_BY(
            "OBJECT[:PE=N]",
            "Deal ranks out by slot, core, hwthread, socket, numa or node; with PE=N each gets N cores.",
            "--map-by"),
    CPU_SET("CPUS", "The only cpus that ranks may run on, as in 0,2-3.", "--cpu-set", "--cpu-list"),
    RANKFILE("FILE", "Where each rank runs, in lines: rank 0=localhost slot=0-1.", "--rankfile"),
    REPORT_BINDINGS(null, "Say which cpus each rank is bound to.", "--report-bindings"),
    ENV("NAME[=VALUE]", "An environment variable for every rank; may be repeated.", "-x"),
    WDIR("DIR", "Working directory of the ranks.", "--wdir"),
    NPROC_PER_NODE(
            "N",
            "torchrun's word for -n on one machine; with --nnodes, the ranks of each.",
            "--nproc-per-node",
            "--nproc_per_node"),
    NNODES(
            "M",
            "Number of machines on each of which you start one tutti run; their ranks meet by torchrun's variables.",
            "--nnodes"),
    NODE_RANK("K", "Which of them this is, from 0.", "--node-rank", "--node_rank"),
    MASTER_ADDR(
            "HOST",
            "The machine of node 0, where ranks meet. Default on one machine: localhost.",
            "--master-addr",
            "--master_addr"),
    MASTER_PORT(
            "PORT",
            "The port there. Default: 29500; on one machine, one that is free.",
            "--master-port",
            "--master_port"),
    POOL(
            null,
            "Rank 0 runs the program, the others are workers of the pool that it opens (RankPool.run). On shared"
                    + " memory the death of a worker costs its task.",
            "--pool"),
    MAX_RESTARTS(
            "R",
            "After a failed rank, start all ranks anew, at most R times; TUTTI_RESTART counts. Default: 0.",
            "--max-restarts",
            "--max_restarts"),
    TAG_OUTPUT(null, "Begin each line with [rank], also where output is no terminal.", "--tag-output"),
    OUTPUT_DIR("DIR", "Keep the output of each rank in DIR/rank-R.out and .err, too.", "--output-dir"),
    TIMEOUT("SECONDS", "End the job after that time, with exit code 124.", "--timeout"),
    GRACE(
            "SECONDS",
            "How long ranks may run after SIGTERM or Ctrl-C before they are killed; 30 if not given. A second signal"
                    + " kills them immediately.",
            "--grace"),
    STALL(
            "SECONDS",
            "Say what ranks wait for when nothing has moved for so long; 10 if not given, 0 for never.",
            "--stall"),
    CHECK(
            null,
            "Compare every call with the other ranks', and know the line of each; slow. Without it, over a library the"
                    + " first calls and some later ones are compared.",
            "--check"),
    STALL_ABORT(null, "End the job when it says so, with exit code 1.", "--stall-abort"),
    DEBUG(
            "RANKS",
            "Ranks that wait for a debugger before their first line, as in 0,2 or all; says how to attach.",
            "--debug"),
    DEBUG_NOSUSPEND(null, "With --debug: ranks do not wait for it.", "--debug-nosuspend"),
    PROFILE(
            null,
            "Say at the end where the time went: calls of each rank and of each line, and who let others wait.",
            "--profile"),
    TRACE("FILE", "Write all calls, messages and pauses into a file for ui.perfetto.dev.", "--trace"),
    DRY_RUN(null, "Say what would be started, and start nothing.", "--dry-run"),
    QUIET(null, "Say nothing of tutti's own; with --output-dir, ranks' output goes there alone.", "--quiet");

    private static final RunOption[] ALL = values();

    /// What its value is called; null for one that has none.
    final @Nullable String parameter;

    final String help;
    final String[] names;

    RunOption(@Nullable String parameter, String help, String... names) {
        this.parameter = parameter;
        this.help = help;
        this.names = names;
    }

    /// Whether each program of a job has its own; the others hold for the whole job.
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
