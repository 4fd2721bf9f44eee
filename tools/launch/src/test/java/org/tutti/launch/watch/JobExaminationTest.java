package org.tutti.launch.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tutti.job.os.JobFile;
import org.tutti.job.os.PortablePlatform;
import org.tutti.job.status.JobStatus;

/// A job with memory that can no longer be mapped. Missing information must not end a job, and must not
/// hide a failure.
class JobExaminationTest {
    @Test
    void aWishThatCannotBeGrantedIsAnswered() throws Exception {
        JobFile file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
        JobStatus status = JobStatus.create(file, 2, true);
        try (JobExamination examination = new JobExamination(null, 0, false, status)) {
            long wish = status.wish(JobStatus.Wish.REPORT);
            file.close();
            examination.grant();
            assertThat(status.granted()).isEqualTo(wish);
            assertThat(status.grantText()).startsWith("!cannot map ");
        }
    }

    @Test
    void aFailureIsReportedWithoutARecordFile() throws Exception {
        JobFile file = new PortablePlatform().createFile("tutti-test", JobFile.BYTES);
        JobStatus status = JobStatus.create(file, 2, true);
        file.close();
        try (JobExamination examination = new JobExamination(null, 0, false, status)) {
            assertThat(examination.failure("rank 1 failed"))
                    .singleElement()
                    .asString()
                    .startsWith("the last operations of all ranks could not be written: cannot map ");
        }
    }
}
