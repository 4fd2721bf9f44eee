package org.tutti.job.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.tutti.job.environment.RankEnvironment.Launcher;
import org.tutti.job.environment.RankEnvironment.Pmi;

/// The environments were recorded with the launchers on Debian 12: Open MPI 4.1.4, MPICH 4.0.2, Slurm 22.05.
class PlaceTest {
    private static final Map<String, String> OPEN_MPI = map(
            "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2",
            "PMIX_RANK=2 PMIX_NAMESPACE=596705281");
    private static final Map<String, String> HYDRA =
            map("PMI_RANK=1 PMI_SIZE=4 PMI_FD=8 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 HYDI_CONTROL_FD=9");

    /// The variables of an allocation's shell, and of a batch script.
    private static final Map<String, String> ALLOCATION =
            map("SLURM_JOB_ID=12 SLURM_NTASKS=3 SLURM_NPROCS=3 SLURM_TASKS_PER_NODE=2,1 SLURM_JOB_NUM_NODES=2");

    private static final Map<String, String> STEP = and(
            ALLOCATION,
            "SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3 SLURM_LOCALID=0 SLURM_NODEID=1",
            "SLURM_STEP_TASKS_PER_NODE=2,1");
    private static final String PMIX_OF_SLURM = "PMIX_RANK=2 PMIX_NAMESPACE=slurm.pmix.12.0 SLURM_MPI_TYPE=pmix";

    private static Map<String, String> map(String... settings) {
        return and(Map.of(), settings);
    }

    private static Map<String, String> and(Map<String, String> base, String... settings) {
        Map<String, String> env = new HashMap<>(base);
        for (String setting : String.join(" ", settings).split(" ")) {
            env.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        return env;
    }

    private static Map<String, String> tutti(String engine, int size) {
        return map("TUTTI_RANK=2 TUTTI_LOCAL_RANK=2 TUTTI_SIZE=" + size + " TUTTI_LOCAL_SIZE=" + size + " TUTTI_ENGINE="
                + engine);
    }

    private static RankEnvironment both(String engine, int size) {
        Map<String, String> env = new HashMap<>(OPEN_MPI);
        env.putAll(tutti(engine, size));
        return RankEnvironment.of(env);
    }

    private static void isAt(RankEnvironment environment, Launcher launcher, int... rankSizeLocalRankLocalSize) {
        assertThat(environment.launcher()).isEqualTo(launcher);
        assertThat(new int[] {environment.rank(), environment.size(), environment.localRank(), environment.localSize()})
                .containsExactly(rankSizeLocalRankLocalSize);
    }

    private static AbstractThrowableAssert<?, ?> fails(Map<String, String> env) {
        return assertThatThrownBy(() -> RankEnvironment.of(env)).isInstanceOf(JobException.class);
    }

    /// `tutti run --with openmpi-java --mpi mpich` sets these variables for the program.
    @Test
    void openMpiVariablesSetByTuttiAreNoLauncher() {
        Map<String, String> env = new HashMap<>(HYDRA);
        env.putAll(OpenMpiVariables.onOneMachine(1, 4));
        isAt(RankEnvironment.of(env), Launcher.HYDRA, 1, 4, 1, 2);
        assertThat(OpenMpiVariables.onOneMachine(1, 4))
                .containsEntry("OMPI_COMM_WORLD_RANK", "1")
                .containsEntry("OMPI_COMM_WORLD_SIZE", "4")
                .containsEntry("OMPI_COMM_WORLD_LOCAL_RANK", "1")
                .containsEntry("OMPI_COMM_WORLD_LOCAL_SIZE", "4")
                .containsEntry("OMPI_COMM_WORLD_NODE_RANK", "1");
    }

    @Test
    void aRankOfTuttiHasItsLocalRank() {
        isAt(RankEnvironment.of(tutti(RankEnvironment.SHM, 4)), Launcher.TUTTI, 2, 4, 2, 4);
    }

    @Test
    void ourNamesForProgramsDoNotHideTheNativeLauncher() {
        isAt(both(RankEnvironment.NATIVE, 4), Launcher.OPEN_MPI, 2, 4, 0, 2);
    }

    @Test
    void anEmptyLocalRankIsUnknown() {
        Map<String, String> env = new HashMap<>(tutti(RankEnvironment.SHM, 4));
        env.put(RankEnvironment.LOCAL_RANK, "");
        env.put(RankEnvironment.LOCAL_SIZE, "");
        isAt(RankEnvironment.of(env), Launcher.TUTTI, 2, 4, 0, 1);
    }

    @Test
    void aProcessWithoutALauncherIsASingleton() {
        assertThat(RankEnvironment.of(Map.of()))
                .isEqualTo(new RankEnvironment(
                        0, 1, 0, 1, Launcher.NONE, Pmi.NONE, RankEnvironment.SHM, null, null, null, ""));
    }

    @Test
    void nativeLaunchersSetRankAndLocalRank() {
        isAt(RankEnvironment.of(OPEN_MPI), Launcher.OPEN_MPI, 2, 4, 0, 2);
        isAt(RankEnvironment.of(HYDRA), Launcher.HYDRA, 1, 4, 1, 2);
        assertThat(List.of(RankEnvironment.of(OPEN_MPI), RankEnvironment.of(HYDRA)))
                .extracting(RankEnvironment::engine)
                .containsOnly(RankEnvironment.NATIVE);
        assertThat(RankEnvironment.of(OPEN_MPI).pmi()).isEqualTo(Pmi.PMIX);
        assertThat(RankEnvironment.of(HYDRA).pmi()).isEqualTo(Pmi.PMI);
        assertThat(RankEnvironment.of(OPEN_MPI).variables())
                .isEqualTo("OMPI_COMM_WORLD_RANK=2, OMPI_COMM_WORLD_SIZE=4");
    }

    @Test
    void aTaskOfAStepIsARankByWhicheverPmi() {
        RankEnvironment pmix = RankEnvironment.of(and(STEP, PMIX_OF_SLURM));
        RankEnvironment pmi2 =
                RankEnvironment.of(and(STEP, "PMI_RANK=2 PMI_SIZE=3 PMI_FD=11 PMI_JOBID=12.0 SLURM_MPI_TYPE=pmi2"));
        RankEnvironment none = RankEnvironment.of(STEP);
        for (RankEnvironment environment : List.of(pmix, pmi2, none)) {
            isAt(environment, Launcher.SLURM, 2, 3, 0, 1);
            assertThat(environment.engine()).isEqualTo(RankEnvironment.NATIVE);
        }
        assertThat(pmix.pmi()).isEqualTo(Pmi.PMIX);
        assertThat(pmi2.pmi()).isEqualTo(Pmi.PMI);
        assertThat(none.pmi()).isEqualTo(Pmi.NONE);
        assertThat(pmix.variables())
                .isEqualTo("SLURM_STEP_ID=0, SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=3, SLURM_MPI_TYPE=pmix");
    }

    @Test
    void anAllocationsShellAndABatchScriptAreNoRanks() {
        isAt(RankEnvironment.of(ALLOCATION), Launcher.NONE, 0, 1, 0, 1);
        Map<String, String> script = and(ALLOCATION, "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0");
        isAt(RankEnvironment.of(script), Launcher.NONE, 0, 1, 0, 1);
        // with LaunchParameters=use_interactive_step; Slurm reserves the number of this step
        Map<String, String> interactive = and(script, "SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1");
        isAt(RankEnvironment.of(interactive), Launcher.NONE, 0, 1, 0, 1);
        assertThat(RankEnvironment.of(interactive).engine()).isEqualTo(RankEnvironment.SHM);
    }

    @Test
    void aShellThatSrunStartedNeedsNoNativeLibrary() {
        Map<String, String> shell = map("SLURM_STEP_ID=1 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_MPI_TYPE=pmix");
        isAt(RankEnvironment.of(shell), Launcher.SLURM, 0, 1, 0, 1);
        assertThat(RankEnvironment.of(shell).engine()).isEqualTo(RankEnvironment.SHM);
    }

    @Test
    void tasksPerNodeAreWrittenInShort() {
        for (int node = 0; node < 2; node++)
            assertThat(SlurmStep.tasks("2(x2),1", node)).isEqualTo(2);
        assertThat(SlurmStep.tasks("2(x2),1", 2)).isEqualTo(1);
        assertThat(SlurmStep.tasks("4", 0)).isEqualTo(4);
        assertThat(SlurmStep.tasks("1,3(x10),2", 11)).isEqualTo(2);
        assertThat(SlurmStep.tasks(null, 3)).isEqualTo(1);
        fails(and(STEP, "SLURM_STEP_TASKS_PER_NODE=2(x2"))
                .hasMessageContaining("SLURM_STEP_TASKS_PER_NODE=2(x2 in the environment of srun is not a list");
    }

    @Test
    void theLauncherInsideOfAStepIsBelieved() {
        // mpiexec starts the proxies in a step with one task per node
        Map<String, String> proxy = and(
                ALLOCATION,
                "SLURM_STEP_ID=2 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0 PMIX_NAMESPACE=slurm.pmix.12.2");
        isAt(RankEnvironment.of(merged(proxy, HYDRA)), Launcher.HYDRA, 1, 4, 1, 2);
        // mpirun does the same, and then is the PMIx server of the ranks
        isAt(RankEnvironment.of(merged(proxy, OPEN_MPI)), Launcher.OPEN_MPI, 2, 4, 0, 2);
        isAt(RankEnvironment.of(merged(STEP, tutti(RankEnvironment.SHM, 4))), Launcher.TUTTI, 2, 4, 2, 4);
        isAt(RankEnvironment.of(and(STEP, "PMIX_RANK=1 PMIX_NAMESPACE=prterun-vm-77@1")), Launcher.PMIX, 1, 0, 0, 1);
    }

    @Test
    void oneWorldOfSeveralStepsIsCountedByTheLibrary() {
        isAt(RankEnvironment.of(and(STEP, PMIX_OF_SLURM, "SLURM_HET_SIZE=2")), Launcher.SLURM, 2, 0, 0, 1);
    }

    private static Map<String, String> merged(Map<String, String> outer, Map<String, String> inner) {
        Map<String, String> env = new HashMap<>(outer);
        env.putAll(inner);
        return env;
    }

    @Test
    void launchersThatContradictEachOtherAreNamed() {
        assertThatThrownBy(() -> both(RankEnvironment.NATIVE, 3))
                .isInstanceOf(JobException.class)
                .hasMessage("init: two launchers contradict each other: TUTTI_RANK=2, TUTTI_SIZE=3 of tutti run, but"
                        + " OMPI_COMM_WORLD_RANK=2, OMPI_COMM_WORLD_SIZE=4 of Open MPI's mpirun; unset the variables"
                        + " of the launcher that has not started this process");
        fails(merged(OPEN_MPI, HYDRA))
                .hasMessageContaining("OMPI_COMM_WORLD_RANK=2")
                .hasMessageContaining("PMI_RANK=1");
        fails(merged(STEP, and(OPEN_MPI, PMIX_OF_SLURM)))
                .hasMessageContaining("OMPI_COMM_WORLD_SIZE=4 of Open MPI's mpirun, but")
                .hasMessageContaining("SLURM_STEP_NUM_TASKS=3, SLURM_MPI_TYPE=pmix of srun");
        fails(and(OPEN_MPI, "PMIX_RANK=0")).hasMessageContaining("PMIX_NAMESPACE=596705281, PMIX_RANK=0 of a PMIx");
        fails(and(STEP, "PMI_RANK=0 PMI_SIZE=2")).hasMessageContaining("PMI_SIZE=2 of MPICH's mpiexec, but SLURM_STEP");
        fails(and(STEP, PMIX_OF_SLURM, "PMIX_RANK=0")).hasMessageContaining("PMIX_RANK=0 of srun");
    }

    @Test
    void halfAnEnvironmentIsAnError() {
        fails(map("OMPI_COMM_WORLD_SIZE=2")).hasMessageContaining("OMPI_COMM_WORLD_RANK is not set");
        fails(map("PMI_RANK=2 PMI_SIZE=2"))
                .hasMessage("init: PMI_RANK=2 in the environment of MPICH's mpiexec is not a number from 0 to 1");
    }

    @Test
    void staleVariablesOfTorchrunAreNamed() {
        fails(map("RANK=0 WORLD_SIZE=4"))
                .hasMessageStartingWith("init: RANK=0, WORLD_SIZE=4 (set by torchrun, or left over in the shell)")
                .hasMessageContaining("no launcher known to Tutti started this process")
                .hasMessageContaining("unset RANK and WORLD_SIZE");
        fails(and(OPEN_MPI, "RANK=0 WORLD_SIZE=8"))
                .hasMessageContaining("RANK=0, WORLD_SIZE=8")
                .hasMessageContaining("contradict OMPI_COMM_WORLD_RANK=2, OMPI_COMM_WORLD_SIZE=4 of Open MPI's mpirun;"
                        + " unset RANK and WORLD_SIZE");
    }

    @Test
    void underTuttiRunVariablesOfTorchrunAreIgnored() {
        isAt(RankEnvironment.of(and(tutti(RankEnvironment.SHM, 4), "RANK=0 WORLD_SIZE=8")), Launcher.TUTTI, 2, 4, 2, 4);
    }

    @Test
    void aProcessOfOneOfSeveralNodesIsNoRankOfMpiButIsWatched() {
        Map<String, String> env =
                map("TUTTI_NODE_JOB=/proc/1/fd/3 RANK=3 WORLD_SIZE=4 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2");
        fails(env)
                .hasMessage("init: RANK=3, WORLD_SIZE=4 of tutti run --nnodes: the nodes were started separately, and"
                        + " the ranks connect through ProcessGroup.init of org.tutti.train, not through MPI; for MPI on several"
                        + " machines start all nodes with one tutti run -H a,b");
        RankEnvironment environment = LauncherDetection.onNode(env);
        assertThat(environment).isNotNull();
        isAt(environment, Launcher.TUTTI, 1, 2, 1, 2);
        assertThat(environment.job()).isEqualTo("/proc/1/fd/3");
        // the launcher may be a task of srun, or of any other launcher
        fails(and(env, "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2")).hasMessageContaining("--nnodes");
        isAt(
                RankEnvironment.of(map("TUTTI_NODE_JOB=a SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2")),
                Launcher.NONE,
                0,
                1,
                0,
                1);
        assertThat(LauncherDetection.onNode(map("RANK=3 WORLD_SIZE=4 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2")))
                .isNull();
    }

    @Test
    void equalOrHalfVariablesOfTorchrunAreFine() {
        isAt(RankEnvironment.of(and(OPEN_MPI, "RANK=2 WORLD_SIZE=4")), Launcher.OPEN_MPI, 2, 4, 0, 2);
        for (String harmless : List.of("RANK=3", "WORLD_SIZE=3", "RANK=0 WORLD_SIZE=1", "RANK=first WORLD_SIZE=2")) {
            isAt(RankEnvironment.of(map(harmless)), Launcher.NONE, 0, 1, 0, 1);
        }
    }

    @Test
    void halfOfTorchrunsVariablesAreNoWorldOfOne() {
        for (String other : List.of("LOCAL_RANK=0", "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=node0")) {
            fails(map("RANK=1 " + other))
                    .hasMessage(
                            "init: RANK=1, " + other + " are torchrun's, but WORLD_SIZE is not set: this process would"
                                    + " be rank 0 of 1; set it, or unset RANK");
        }
    }

    @Test
    void javasRanksAreAList() {
        assertThat(RankEnvironment.of(and(OPEN_MPI, "TUTTI_JAVA_RANKS=0,2-3")).javaRanks())
                .containsExactly(0, 2, 3);
        for (String wrong : List.of("0-", "a", "3-1", "-1", "0,,1", "0-999999999")) {
            fails(and(OPEN_MPI, "TUTTI_JAVA_RANKS=" + wrong))
                    .hasMessage("init: TUTTI_JAVA_RANKS=" + wrong + " is not a list of ranks like 0,2-3");
        }
    }
}
