package org.tutti.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.bench.plan.Storage;
import org.tutti.launch.library.NativeLibrary;

class ResultTableTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Path FILE = Path.of("none");
    private static final NativeLibrary OPEN = new NativeLibrary("openmpi", "Open MPI", FILE, FILE, "4");
    private static final NativeLibrary MPICH = new NativeLibrary("mpich", "MPICH", FILE, FILE, "4");
    private static final Contender C_OPEN = new CContender(OPEN, FILE, "none", false, LIMIT);
    private static final Contender C_MPICH = new CContender(MPICH, FILE, "none", false, LIMIT);
    private static final Contender SHM = tutti(null), OVER_MPICH = tutti(MPICH);
    private static final List<Contender> ALL = List.of(C_OPEN, C_MPICH, SHM, OVER_MPICH);

    private static Contender tutti(NativeLibrary library) {
        return new TuttiContender(library, Storage.SEGMENT, "none", LIMIT, List.of(), FILE);
    }

    private static ResultTable.Line line(CompareTest test, Contender contender, double open, double mpich, double shm) {
        Measurements measurements = new Measurements(1);
        Point point = new Point(test, 2, 8);
        measurements.add(point, C_OPEN, 0, open);
        measurements.add(point, C_MPICH, 0, mpich);
        measurements.add(point, SHM, 0, shm);
        measurements.add(point, OVER_MPICH, 0, mpich + 0.03);
        return ResultTable.of(measurements, ALL).stream()
                .filter(l -> l.contender() == contender)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void messagesAreComparedWithOpenMpi() {
        ResultTable.Line line = line(CompareTest.LATENCY, SHM, 0.4, 0.2, 0.3);
        assertThat(line.yardstick()).isEqualTo(C_OPEN);
        assertThat(line.ratio().median()).isEqualTo(0.3 / 0.4);
        assertThat(line.verdict()).isEqualTo("reached");
    }

    @Test
    void collectivesAreComparedWithTheFasterLibrary() {
        ResultTable.Line line = line(CompareTest.ALLREDUCE, SHM, 0.4, 0.2, 0.3);
        assertThat(line.yardstick()).isEqualTo(C_MPICH);
        assertThat(line.verdict()).isEqualTo("not reached");
    }

    @Test
    void moreBandwidthIsBetter() {
        assertThat(line(CompareTest.BW, SHM, 100, 50, 120).verdict()).isEqualTo("reached");
        assertThat(line(CompareTest.BW, SHM, 100, 50, 80).verdict()).isEqualTo("not reached");
    }

    @Test
    void theOverheadRefersToCOnTheSameLibrary() {
        ResultTable.Line line = line(CompareTest.LATENCY, OVER_MPICH, 0.4, 0.2, 0.3);
        assertThat(line.yardstick()).isEqualTo(C_MPICH);
        assertThat(line.addedNanos().median()).isBetween(29.9, 30.1);
        assertThat(line.verdict()).isEmpty();
    }

    /// Ratios 0.9, 1.2 and 1.3.
    @Test
    void aGoalReachedOnlyByTheIntervalIsReportedSo() {
        Measurements measurements = new Measurements(3);
        Point point = new Point(CompareTest.LATENCY, 2, 8);
        double[] times = {0.9, 1.3, 1.2};
        for (int launch = 0; launch < times.length; launch++) {
            measurements.add(point, C_OPEN, launch, 1);
            measurements.add(point, SHM, launch, times[launch]);
        }
        assertThat(ResultTable.of(measurements, ALL).getLast().verdict()).isEqualTo("within interval");
    }
}
