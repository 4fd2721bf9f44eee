package org.tutti.libmpi.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.bootstrap.Place;
import org.tutti.mpi.bootstrap.Place.Launcher;

class CandidatesTest {
    @Test
    void openMpisLauncherGetsOpenMpisLibraryFirst() {
        Place place = Place.of(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"));
        assertThat(Candidates.of(null, place.launcher(), "/opt/ompi/lib", false))
                .containsExactly(
                        "/opt/ompi/lib/libmpi.so.40",
                        "libmpi.so.40",
                        "libmpi_ibm.so.3",
                        "libmpi_abi.so.1",
                        "libmpi.so");
    }

    @Test
    void mpichsLauncherGetsMpichsLibraryFirst() {
        Place place = Place.of(Map.of("PMI_RANK", "0", "PMI_SIZE", "2"));
        assertThat(Candidates.of(null, place.launcher(), null, false))
                .startsWith("libmpi.so.12", "libmpich.so.12")
                .doesNotContain("libmpi.so.40")
                .endsWith("libmpi.so");
    }

    @Test
    void withoutALauncherTheMachinesDefaultComesFirst() {
        assertThat(Candidates.of(null, Launcher.NONE, null, false))
                .startsWith("libmpi.so")
                .contains("libmpi.so.40", "libmpich.so.12");
    }

    @Test
    void aWishIsNotSecondGuessed() {
        assertThat(Candidates.of("/a/libmpi.so", Launcher.OPEN_MPI, null, false))
                .containsExactly("/a/libmpi.so");
        assertThat(Candidates.of("mpich", Launcher.OPEN_MPI, null, false))
                .containsExactly("libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12");
        assertThat(Candidates.of("openmpi", Launcher.HYDRA, null, true))
                .containsExactly("libmpi.40.dylib", "libmpi.dylib");
    }
}
