package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.job.status.JobStatus;

/// Texts use the method names of the program's API.
class ApiNamesTest {
    private static final String TEXT = "it ended without Mpi.close, after Mpi.init";

    @Test
    void programsOfTuttisApiSeeItsNames() {
        assertThat(ApiNames.inJob(Map.of(), TEXT)).isEqualTo(TEXT);
        assertThat(ApiNames.inRank(TEXT)).isEqualTo(TEXT);
    }

    @Test
    void programsOfOtherApisSeeTheirs() {
        for (String api : new String[] {RankEnvironment.OPENMPI_JAVA, RankEnvironment.MPJ}) {
            assertThat(ApiNames.inJob(Map.of(RankEnvironment.API, api), TEXT))
                    .isEqualTo("it ended without MPI.Finalize, after MPI.Init");
        }
    }

    @Test
    void textsOfBothApisAreFound() {
        assertThat(ApiNames.contains("rank 1 left the job by Mpi.close at A.java:3", JobStatus.LEFT_TEXT))
                .isTrue();
        assertThat(ApiNames.contains("rank 1 left the job by MPI.Finalize at A.java:3", JobStatus.LEFT_TEXT))
                .isTrue();
        assertThat(ApiNames.contains("rank 1 was killed", JobStatus.LEFT_TEXT)).isFalse();
    }
}
