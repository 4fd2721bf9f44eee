package org.tutti.job.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;

class JobStatusTest {
    @Test
    void theLauncherReadsThePagesOfTheRanks() throws Exception {
        try (JobFile file = new PortablePlatform().createFile("tutti-test", 1 << 20)) {
            JobStatus launcher = JobStatus.create(file, 2, true);
            try (JobFile other = JobFile.attach(file.path())) {
                JobStatus rank = JobStatus.attach(other, 2);
                assertThat(launcher.state(1)).isEqualTo(JobStatus.State.ABSENT);
                assertThat(rank.claim(1, 77)).isZero();
                assertThat(rank.claim(1, 78)).isEqualTo(77);
                assertThat(launcher.pid(1)).isEqualTo(77);
                rank.fail(1, 3, "ä".repeat(5000));
                rank.fail(1, 4, "later");
                assertThat(launcher.state(1)).isEqualTo(JobStatus.State.FAILED);
                assertThat(launcher.exitCode(1)).isEqualTo(3);
                assertThat(launcher.text(1))
                        .isEqualTo("ä".repeat(launcher.text(1).length()))
                        .hasSizeGreaterThan(2000);
                assertThat(launcher.launcherPid())
                        .isEqualTo(ProcessHandle.current().pid());
                assertThatThrownBy(() -> JobStatus.attach(other, 3))
                        .hasMessageContaining("is not the status of a job of 3 ranks");
            }
        }
    }
}
