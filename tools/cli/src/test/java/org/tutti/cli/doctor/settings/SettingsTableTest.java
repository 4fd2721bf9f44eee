package org.tutti.cli.doctor.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SettingsTableTest {
    private static final SettingsTable KNOWLEDGE = SettingsTable.load();

    /// Settings recommended by tutorials for PyTorch with MPI and RCCL.
    private static final List<String> RECOMMENDED = List.of(
            "OMPI_MCA_pml",
            "OMPI_MCA_btl_tcp_if_include",
            "OMPI_MCA_coll",
            "OMPI_MCA_btl_sm_use_knem",
            "OMPI_MCA_btl_sm_eager_limit",
            "OMPI_MCA_hwloc_base_binding_policy",
            "OMPI_COMM_WORLD_LOCAL_RANK",
            "--map-by",
            "-map-by",
            "--bind-to",
            "-bind-to",
            "-x",
            "-H",
            "-np",
            "--mca",
            "NCCL_DEBUG",
            "NCCL_BUFFSIZE",
            "NCCL_ALGO",
            "NCCL_PROTO",
            "NCCL_SOCKET_IFNAME",
            "NCCL_P2P_DISABLE",
            "NCCL_P2P_LEVEL",
            "NCCL_SHM_DISABLE",
            "NCCL_IB_DISABLE",
            "NCCL_IB_HCA",
            "NCCL_MULTI_RANK_GPU_ENABLE",
            "RCCL_BUFFSIZE",
            "RCCL_ALLREDUCE_ALGO",
            "RCCL_SOCKET_IFNAME",
            "RCCL_ALLREDUCE_ELEMENTS_THRESHOLD",
            "RCCL_DIRECT",
            "RCCL_SHM_DISABLE",
            "RCCL_MEMPOOL_DISABLE",
            "CUDA_VISIBLE_DEVICES",
            "ROCR_VISIBLE_DEVICES",
            "HIP_VISIBLE_DEVICES",
            "TUTTI_DEVICE");

    @Test
    void everyRowHasASourceAndAMeaning() {
        assertThat(KNOWLEDGE.facts().size()).isGreaterThan(400);
        for (Fact fact : KNOWLEDGE.facts()) {
            String title = fact.title();
            assertThat(fact.source()).as(title).isNotBlank();
            assertThat(fact.meaning()).as(title).endsWith(".").hasSizeLessThan(220);
            assertThat(fact.name()).as(title).doesNotContain(" ").isNotBlank();
            assertThat(fact.type()).as(title).isNotBlank().doesNotContain("?");
            if (fact.byDefault() != null)
                assertThat(fact.byDefault()).as(title).isNotBlank().isNotEqualTo("?");
        }
    }

    @Test
    void everyWarningHasARemedy() {
        for (Fact fact : KNOWLEDGE.facts()) {
            if (fact.verdict() != Verdict.OK)
                assertThat(fact.instead()).as(fact.title()).isNotNull();
        }
    }

    @Test
    void noRowIsThereTwice() {
        Set<String> seen = new HashSet<>();
        for (Fact fact : KNOWLEDGE.facts()) {
            String key =
                    fact.owner() + " " + fact.name() + " " + fact.only() + " " + fact.values() + " " + fact.since();
            assertThat(seen.add(key)).as(key).isTrue();
        }
    }

    @Test
    void rowsForAllValuesFollowRowsForSome() {
        for (Fact fact : KNOWLEDGE.facts()) {
            List<Fact> same = KNOWLEDGE.facts(fact.owner(), fact.name());
            for (int i = 0; i < same.size() - 1; i++) {
                Fact first = same.get(i);
                boolean all = first.values() == null && first.only() == null;
                assertThat(all && first.since() == null && first.until() == null)
                        .as(fact.title() + " has unreachable rows")
                        .isFalse();
            }
        }
    }

    @Test
    void namesBeginAsTheirOwnersDo() {
        for (Fact fact : KNOWLEDGE.facts()) {
            if (fact.owner().isLauncher()) assertThat(fact.name()).startsWith("-");
            else if (fact.owner().isBare()) assertThat(fact.name()).matches("[a-z]\\w*|OMPI_\\w+");
            else assertThat(KNOWLEDGE.ownerOf(fact.name())).as(fact.name()).isEqualTo(fact.owner());
        }
    }

    @Test
    void containsTheRecommendationsOfTutorials() {
        for (String name : RECOMMENDED)
            assertThat(KNOWLEDGE.explain(name)).as(name).isNotEmpty();
    }

    @Test
    void explainsANameWithItsPrefixAndWithout() {
        assertThat(KNOWLEDGE.explain("OMPI_MCA_btl_sm_eager_limit"))
                .isEqualTo(KNOWLEDGE.explain("btl_sm_eager_limit"))
                .hasSize(2);
        assertThat(KNOWLEDGE.explain("MPICH_NOLOCAL")).isEqualTo(KNOWLEDGE.explain("MPIR_CVAR_NOLOCAL"));
        assertThat(KNOWLEDGE.explain("HIP_VISIBLE_DEVICES")).hasSize(1);
        assertThat(KNOWLEDGE.ownerOf("CUDA_VERSION")).isNull();
        assertThat(KNOWLEDGE.explain("NCCL_NOPE")).isEmpty();
        assertThat(KNOWLEDGE.similar("NCCL_ALG")).containsExactly("NCCL_ALGO");
    }

    @Test
    void aLineThatIsNoRowIsNamed() {
        String head = "library\tname\twhen\tsince\tuntil\tverdict\ttype\tdefault\tmeaning\tinstead\tsource";
        assertThatThrownBy(() -> SettingsTable.parse(List.of("@s\tsomewhere", head, "nccl\tNCCL_X")))
                .hasMessage("settings.tsv, line 3: 2 columns in place of 11");
        assertThatThrownBy(() ->
                        SettingsTable.parse(List.of(head, "nccl\tNCCL_X\t-\t-\t-\tok\tint\t-\tSome.\t-\tnowhere")))
                .hasMessage("settings.tsv, line 2: no source @nowhere");
        assertThatThrownBy(() -> SettingsTable.parse(
                        List.of("@s\tsomewhere", head, "nccl\tNCCL_X\t@full-moon\t-\t-\tok\tint\t-\tSome.\t-\ts")))
                .hasMessage("settings.tsv, line 3: no condition @full-moon");
    }

    @Test
    void versionsAreComparedByNumber() {
        assertThat(Versions.compare("4.1.4", "4.1")).isPositive();
        assertThat(Versions.compare("4.1.10", "4.1.9")).isPositive();
        assertThat(Versions.compare("5.0", "5.0.0rc2")).isZero();
        assertThat(Versions.compare("2.1", "3")).isNegative();
    }
}
