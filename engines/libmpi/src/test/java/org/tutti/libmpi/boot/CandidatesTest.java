package org.tutti.libmpi.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.environment.RankEnvironment.Pmi;

class CandidatesTest {
    @Test
    void underOpenMpisLauncherItsLibraryIsFirst() {
        RankEnvironment environment =
                RankEnvironment.of(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"));
        assertThat(Candidates.of(null, environment.pmi(), "/opt/ompi/lib", false))
                .containsExactly(
                        "/opt/ompi/lib/libmpi.so.40",
                        "libmpi.so.40",
                        "libmpi_ibm.so.3",
                        "libmpi_abi.so.1",
                        "libmpi.so");
    }

    @Test
    void underMpichsLauncherItsLibraryIsFirst() {
        RankEnvironment environment = RankEnvironment.of(Map.of("PMI_RANK", "0", "PMI_SIZE", "2"));
        assertThat(Candidates.of(null, environment.pmi(), null, false))
                .startsWith("libmpi.so.12", "libmpich.so.12")
                .doesNotContain("libmpi.so.40")
                .endsWith("libmpi.so");
    }

    @Test
    void underSrunThePmiDecides() {
        Map<String, String> step = Map.of("SLURM_STEP_ID", "0", "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2");
        Map<String, String> pmix = new HashMap<>(step), pmi = new HashMap<>(step);
        pmix.putAll(Map.of("PMIX_RANK", "1", "PMIX_NAMESPACE", "slurm.pmix.12.0"));
        pmi.putAll(Map.of("PMI_RANK", "1", "PMI_SIZE", "2", "PMI_FD", "11"));
        assertThat(Candidates.of(null, RankEnvironment.of(pmix).pmi(), null, false))
                .startsWith("libmpi.so.40");
        assertThat(Candidates.of(null, RankEnvironment.of(pmi).pmi(), null, false))
                .startsWith("libmpi.so.12");
        assertThat(Candidates.of(null, RankEnvironment.of(step).pmi(), null, false))
                .startsWith("libmpi.so");
    }

    @Test
    void withoutALauncherTheMachinesDefaultIsFirst() {
        assertThat(Candidates.of(null, Pmi.NONE, null, false))
                .startsWith("libmpi.so")
                .contains("libmpi.so.40", "libmpich.so.12");
    }

    @Test
    void anExplicitChoiceIsFinal() {
        assertThat(Candidates.of("/a/libmpi.so", Pmi.PMIX, null, false)).containsExactly("/a/libmpi.so");
        assertThat(Candidates.of("mpich", Pmi.PMIX, null, false))
                .containsExactly("libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12");
        assertThat(Candidates.of("openmpi", Pmi.PMI, null, true)).containsExactly("libmpi.40.dylib", "libmpi.dylib");
        assertThat(Candidates.of("abi", Pmi.PMI, null, false)).containsExactly("libmpi_abi.so.1");
    }
}
