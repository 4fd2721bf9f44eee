package org.tutti.cli.doctor.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Evaluates settings on synthetic machines.
class SettingsEvaluatorTest {
    private static final SettingsTable KNOWLEDGE = SettingsTable.load();

    /// The output of Open MPI 4.1, as far as needed by these tests.
    private static final List<String> OMPI_INFO = List.of(
            "mca:coll:tuned:version:\"component:4.1.4\"",
            "mca:coll:basic:version:\"component:4.1.4\"",
            "mca:coll:libnbc:version:\"component:4.1.4\"",
            "mca:mtl:ofi:version:\"component:4.1.4\"",
            "mca:coll:base:param:coll:value:",
            "mca:coll:base:param:coll:type:string",
            "mca:mtl:base:param:mtl:value:",
            "mca:mpi:base:param:mpi_yield_when_idle:value:false",
            "mca:mpi:base:param:mpi_yield_when_idle:enumerator:value:0:false",
            "mca:mpi:base:param:mpi_yield_when_idle:enumerator:value:1:true",
            "mca:mpi:base:param:mpi_yield_when_idle:type:bool",
            "mca:btl:base:param:btl_base_foo_verbose:value:error",
            "mca:btl:base:param:btl_base_foo_verbose:enumerator:value:0:error",
            "mca:btl:base:param:btl_base_foo_verbose:type:int",
            "mca:btl:base:param:btl_base_foo_verbose:help:How much it says: a lot",
            "mca:coll:tuned:param:coll_tuned_priority:value:30",
            "mca:coll:tuned:param:coll_tuned_priority:type:int");

    private record Machine(
            Map<Owner, String> versions,
            boolean hasFabric,
            @Nullable List<String> info) implements MachineTraits {
        @Override
        public @Nullable String version(Owner owner) {
            return versions.get(owner);
        }

        @Override
        public boolean lacksInterface(String value) {
            return value.contains("eth9");
        }

        @Override
        public @Nullable Parameters openMpi() {
            return info == null ? null : Parameters.parse(info);
        }

        @Override
        public @Nullable Set<String> names(Owner owner) {
            return owner == Owner.NCCL ? Set.of("NCCL_SECRET") : null;
        }
    }

    private static final Machine LAPTOP =
            new Machine(Map.of(Owner.OPENMPI, "4.1.4", Owner.MPICH, "4.0.2"), false, OMPI_INFO);
    private static final Machine CLUSTER =
            new Machine(Map.of(Owner.OPENMPI, "5.0.9", Owner.NCCL, "2.22.3", Owner.UCX, ""), true, null);

    private static Evaluation evaluate(Machine machine, String variable, String value) {
        Owner owner = Owner.ofVariable(variable);
        assertThat(owner).as(variable).isNotNull();
        Setting setting =
                new Setting(owner, KNOWLEDGE.canonical(owner, variable), variable, value, Setting.ENVIRONMENT);
        return new SettingsEvaluator(KNOWLEDGE, machine).evaluate(setting);
    }

    private static void expect(Machine machine, String variable, String value, String words, String remedy) {
        Evaluation evaluation = evaluate(machine, variable, value);
        assertThat(evaluation.words()).as("%s: %s", variable, evaluation).isEqualTo(words);
        assertThat(evaluation.remedy()).as("%s: %s", variable, evaluation).isEqualTo(remedy);
        assertThat(evaluation.meaning()).isNotBlank();
    }

    @Test
    void onlyTunedIsFatalButItsPriorityIsNot() {
        expect(
                LAPTOP,
                "OMPI_MCA_coll",
                "tuned",
                "FATAL HERE",
                "use OMPI_MCA_coll_tuned_priority=100, or a list with basic,libnbc");
        expect(LAPTOP, "OMPI_MCA_coll", "tuned,basic,libnbc", "OK", null);
        expect(LAPTOP, "OMPI_MCA_coll", "^tuned", "OK", null);
        expect(LAPTOP, "OMPI_MCA_coll_tuned_priority", "100", "OK", null);
    }

    @Test
    void reportsRemovedAndReintroducedNames() {
        String instead = "use OMPI_MCA_btl_vader_eager_limit (3.0 to 4.1); since 5.0 the name is back";
        expect(LAPTOP, "OMPI_MCA_btl_sm_eager_limit", "banana", "REMOVED since 3.0", instead);
        expect(CLUSTER, "OMPI_MCA_btl_sm_eager_limit", "8192", "OK", null);
        expect(
                CLUSTER,
                "OMPI_MCA_hwloc_base_binding_policy",
                "numa",
                "REMOVED since 5.0",
                "use --bind-to numa, which all versions know");
        // if none is installed, the newest version applies
        expect(LAPTOP, "NCCL_LL_THRESHOLD", "1", "REMOVED since 2.5", "use NCCL_PROTO, for experiments");
    }

    @Test
    void missingHardwareMakesASettingFatal() {
        Machine withFabric = new Machine(LAPTOP.versions, true, null);
        expect(
                LAPTOP,
                "OMPI_MCA_pml",
                "ucx",
                "FATAL HERE",
                "leave it out, or add OMPI_MCA_pml_ucx_tls=any and OMPI_MCA_pml_ucx_devices=any");
        expect(withFabric, "OMPI_MCA_pml", "ucx", "OK", null);
        expect(LAPTOP, "UCX_TLS", "rc", "FATAL HERE", "leave it out, or tcp,self,sm");
        expect(CLUSTER, "UCX_TLS", "rc", "OK", null);
        assertThat(evaluate(LAPTOP, "OMPI_MCA_btl_tcp_if_include", "eth9").verdict())
                .isEqualTo(Verdict.IGNORED);
    }

    @Test
    void ofOpenMpiItsOwnWordCounts() {
        expect(LAPTOP, "OMPI_MCA_mpi_yield_when_idle", "maybe", "IGNORED", "it takes 0, 1, false, true");
        expect(LAPTOP, "OMPI_MCA_mpi_yield_when_idle", "yes", "OK", null);
        expect(LAPTOP, "OMPI_MCA_btl_base_foo_verbose", "loud", "FATAL HERE", "it takes 0, error");
        assertThat(evaluate(LAPTOP, "OMPI_MCA_btl_base_foo_verbose", "error").meaning())
                .isEqualTo("How much it says: a lot");
        expect(
                LAPTOP,
                "OMPI_MCA_coll",
                "basic,libnbc,tunde",
                "FATAL HERE",
                "did you mean tuned? it has basic, libnbc, tuned");
        expect(LAPTOP, "OMPI_MCA_mtl", "psm2", "IGNORED", "it has ofi");
        // in the table, but missing in this build
        expect(LAPTOP, "OMPI_MCA_btl_vader_eager_limit", "8k", "IGNORED", "leave it out");
    }

    @Test
    void fictionalNamesAreNamed() {
        expect(LAPTOP, "RCCL_BUFFSIZE", "67108864", "FICTIONAL", "use NCCL_BUFFSIZE");
        assertThat(evaluate(LAPTOP, "RCCL_BUFFSIZE", "1").meaning()).isEqualTo("No RCCL has ever had this name.");
        assertThat(evaluate(LAPTOP, "RCCL_DIRECT", "1").remedy()).startsWith("leave it out");
    }

    @Test
    void debuggingSettingsAreNotForScripts() {
        expect(CLUSTER, "NCCL_P2P_DISABLE", "1", "DEBUG-ONLY", "leave it out of scripts");
        expect(CLUSTER, "NCCL_DEBUG", "INFO", "DEBUG-ONLY", "use NCCL_DEBUG=WARN");
        expect(CLUSTER, "NCCL_DEBUG", "WARN", "OK", null);
        expect(LAPTOP, "MPICH_NOLOCAL", "1", "DEBUG-ONLY", "leave it out");
    }

    @Test
    void settingsOfNewerVersionsAreIgnored() {
        expect(CLUSTER, "NCCL_MULTI_RANK_GPU_ENABLE", "1", "IGNORED", "leave it out");
        assertThat(evaluate(CLUSTER, "NCCL_MULTI_RANK_GPU_ENABLE", "1").meaning())
                .endsWith("Added in 2.30; installed is 2.22.3.");
        expect(
                LAPTOP,
                "PRTE_MCA_rmaps_default_mapping_policy",
                ":oversubscribe",
                "IGNORED",
                "use OMPI_MCA_ names, or mpirun's options");
    }

    @Test
    void unknownNamesGetASuggestion() {
        expect(LAPTOP, "OMPI_MCA_coll_tunde_priority", "1", "UNKNOWN", "did you mean OMPI_MCA_coll_tuned_priority?");
        expect(LAPTOP, "RCCL_ALGO", "ring", "UNKNOWN", "did you mean NCCL_ALGO?");
        expect(LAPTOP, "UCX_TLSS", "tcp", "UNKNOWN", "did you mean UCX_TLS?");
        expect(LAPTOP, "FI_QUITE_SOMETHING_ELSE", "1", "UNKNOWN", "leave it out");
    }

    @Test
    void aNameInTheLibraryItselfIsNotUnknown() {
        expect(CLUSTER, "NCCL_SECRET", "1", "OK", null);
    }

    @Test
    void aMissingLibraryIsReported() {
        assertThat(evaluate(LAPTOP, "NCCL_ALGO", "Ring").meaning()).endsWith("(NCCL was not found here.)");
        assertThat(evaluate(CLUSTER, "NCCL_ALGO", "Ring").meaning()).doesNotContain("not found");
    }

    private static List<Evaluation> line(Owner otherwise, String... words) {
        SettingsEvaluator evaluate = new SettingsEvaluator(KNOWLEDGE, LAPTOP);
        return Settings.of(List.of(words), KNOWLEDGE, otherwise).stream()
                .map(evaluate::evaluate)
                .toList();
    }

    @Test
    void aCommandLineIsReadToItsProgram() {
        List<Evaluation> found = line(
                Owner.MPIRUN,
                "-np",
                "4",
                "-map-by",
                "ppr:1:gpu",
                "--mca",
                "coll",
                "tuned",
                "-x",
                "NCCL_DEBUG=INFO",
                "-x",
                "PATH",
                "--oversubscribe",
                "program",
                "--map-by",
                "nothing");
        assertThat(found)
                .extracting(evaluation -> evaluation.setting().words() + ": " + evaluation.words())
                .containsExactly(
                        "-np 4: OK",
                        "-map-by ppr:1:gpu: FATAL HERE",
                        "--mca coll tuned: FATAL HERE",
                        "NCCL_DEBUG=INFO: DEBUG-ONLY",
                        "-x PATH: OK",
                        "--oversubscribe: OK");
    }

    @Test
    void anOptionOfTheOtherLauncherIsFatal() {
        List<Evaluation> found =
                line(Owner.MPIRUN, "-ppn", "2", "-genv", "UCX_TLS", "tcp", "--maap-by", "numa", "-n", "2");
        assertThat(found)
                .extracting(evaluation -> evaluation.setting().words() + ": " + evaluation.words())
                .containsExactly(
                        "-ppn 2: FATAL HERE", "-genv UCX_TLS tcp: FATAL HERE", "--maap-by numa: UNKNOWN", "-n 2: OK");
        assertThat(found.get(2).remedy()).isEqualTo("did you mean --map-by?");
        assertThat(line(Owner.MPIEXEC, "--mca", "btl", "tcp", "-n", "2"))
                .extracting(Evaluation::words)
                .containsExactly("FATAL HERE", "OK");
    }

    @Test
    void hydrasVariablesAreJudgedAsVariables() {
        assertThat(line(Owner.MPIEXEC, "-genv", "UCX_TLS", "rc", "-n", "2"))
                .extracting(evaluation -> evaluation.setting().words() + ": " + evaluation.words())
                .containsExactly("UCX_TLS=rc: FATAL HERE", "-n 2: OK");
    }

    @Test
    void everyVerdictHasBeenGiven() {
        EnumSet<Verdict> seen = EnumSet.noneOf(Verdict.class);
        for (String setting : List.of(
                "OMPI_MCA_coll=tuned",
                "OMPI_MCA_btl_sm_use_knem=1",
                "OMPI_MCA_mtl=psm2",
                "RCCL_DIRECT=1",
                "NCCL_ALGO=Ring",
                "NCCL_NET=IB",
                "NCCL_WHATEVER=1")) {
            String[] word = setting.split("=");
            seen.add(evaluate(LAPTOP, word[0], word[1]).verdict());
        }
        assertThat(seen).containsExactlyInAnyOrder(Verdict.values());
    }

    @Test
    void filesAreReadAsTheirLibrariesDo(@TempDir Path root, @TempDir Path home) throws Exception {
        Files.createDirectories(root.resolve("etc/openmpi"));
        Files.writeString(root.resolve("etc/openmpi/openmpi-mca-params.conf"), "# a comment\nbtl = self,sm\n\n");
        Files.createDirectories(home.resolve(".openmpi"));
        Files.writeString(home.resolve(".openmpi/mca-params.conf"), "OMPI_MCA_coll=tuned\n");
        Files.writeString(root.resolve("etc/nccl.conf"), "NCCL_DEBUG=WARN\n");
        Files.writeString(home.resolve("my.conf"), "NCCL_SOCKET_IFNAME==ens1f0\n");
        Files.writeString(home.resolve("ucx.conf"), "UCX_TLS=tcp\n");
        Map<String, String> env =
                Map.of("NCCL_CONF_FILE", home.resolve("my.conf").toString(), "HOME", "x");
        SettingsEvaluator evaluate = new SettingsEvaluator(KNOWLEDGE, LAPTOP);
        assertThat(Settings.of(env, root, home, KNOWLEDGE))
                .extracting(setting -> setting.words() + " of "
                        + home.relativize(Path.of(setting.origin()).isAbsolute() ? Path.of(setting.origin()) : home)
                                .getFileName()
                        + ": " + evaluate.evaluate(setting).words())
                .containsExactly(
                        "NCCL_CONF_FILE=" + home.resolve("my.conf") + " of : OK",
                        "btl=self,sm of openmpi-mca-params.conf: FATAL HERE",
                        // in a file, a parameter has no prefix
                        "OMPI_MCA_coll=tuned of mca-params.conf: UNKNOWN",
                        "NCCL_DEBUG=WARN of nccl.conf: OK",
                        "NCCL_SOCKET_IFNAME==ens1f0 of my.conf: OK",
                        "UCX_TLS=tcp of ucx.conf: OK");
    }

    @Test
    void variablesFromMpirunAreNotSettings(@TempDir Path root) {
        Map<String, String> env =
                Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_MCA_orte_ess_num_procs", "2", "UCX_TLS", "tcp");
        assertThat(Settings.of(env, root, root, KNOWLEDGE))
                .extracting(Setting::shown)
                .containsExactly("UCX_TLS");
    }
}
