package org.tutti.mpi.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.mpi.MpiException;

class PlaceTest {
    private static final Map<String, String> OPEN_MPI = Map.of(
            "OMPI_COMM_WORLD_RANK", "2",
            "OMPI_COMM_WORLD_SIZE", "4",
            "OMPI_COMM_WORLD_LOCAL_RANK", "0",
            "OMPI_COMM_WORLD_LOCAL_SIZE", "2");

    private static Map<String, String> tutti(String engine, int size) {
        return Map.of(
                Place.RANK,
                "2",
                Place.SIZE,
                Integer.toString(size),
                Place.LOCAL_RANK,
                "2",
                Place.LOCAL_SIZE,
                Integer.toString(size),
                Place.ENGINE,
                engine);
    }

    private static Place both(String engine, int size) {
        Map<String, String> env = new HashMap<>(OPEN_MPI);
        env.putAll(tutti(engine, size));
        return Place.of(env);
    }

    @Test
    void aRankOfOursKnowsItsPlaceOnTheMachine() {
        Place place = Place.of(tutti(Place.SHM, 4));
        assertThat(place.launcher()).isEqualTo(Place.Launcher.TUTTI);
        assertThat(place.localRank()).isEqualTo(2);
        assertThat(place.localSize()).isEqualTo(4);
    }

    @Test
    void ourNamesForProgramsDoNotHideTheNativeLauncher() {
        assertThat(both(Place.NATIVE, 4).launcher()).isEqualTo(Place.Launcher.OPEN_MPI);
        assertThat(both(Place.NATIVE, 4).localSize()).isEqualTo(2);
    }

    @Test
    void launchersThatContradictEachOtherAreNamed() {
        assertThatThrownBy(() -> both(Place.NATIVE, 3))
                .isInstanceOf(MpiException.class)
                .hasMessageContaining("two launchers contradict each other: TUTTI_SIZE=3 but OMPI_COMM_WORLD_SIZE=4");
    }

    @Test
    void whoWasStartedByNobodyIsAlone() {
        assertThat(Place.of(Map.of())).isEqualTo(new Place(0, 1, 0, 1, Place.Launcher.NONE, Place.SHM, null, null));
    }
}
