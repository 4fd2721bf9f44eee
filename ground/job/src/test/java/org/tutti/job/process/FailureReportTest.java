package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tutti.job.environment.JobException;

class FailureReportTest {
    private static final String HEAD = "java.lang.IllegalStateException: boom\n\tat A.main(A.java:9)\n";
    private static final String CLOSE =
            "\tSuppressed: org.tutti.mpi.MpiException: close: a message was never received\n"
                    + "a second line\n"
                    + "\t\tat org.tutti.mpi.Mpi.close(Mpi.java:9)\n"
                    + "\t\tat A.main(A.java:7)\n"
                    + "\tCaused by: org.tutti.spi.Fault: x\n\t\t... 2 more\n";
    private static final String OWN = "\tSuppressed: java.io.IOException: own\n\t\tat A.close(A.java:3)\n";
    private static final String CAUSE = "Caused by: java.io.IOException: disk\n\t... 1 more\n";

    @Test
    void omitsExceptionsOfClose() {
        String close = CLOSE.replace("\tCaused by: org.tutti.spi.Fault: x\n\t\t... 2 more\n", "");
        assertThat(FailureReport.withoutCloses(HEAD + close + CAUSE)).isEqualTo(HEAD + CAUSE);
        assertThat(FailureReport.withoutCloses(HEAD + close)).isEqualTo(HEAD);
        assertThat(FailureReport.withoutCloses(HEAD + close + OWN)).isEqualTo(HEAD + OWN);
    }

    @Test
    void keepsAllElse() {
        String other = "\tSuppressed: org.tutti.mpi.MpiException: send: wrong\n\t\tat A.main(A.java:7)\n";
        for (String trace : new String[] {HEAD, HEAD + CAUSE, HEAD + OWN + CAUSE, HEAD + other + CAUSE}) {
            assertThat(FailureReport.withoutCloses(trace)).isEqualTo(trace);
        }
    }

    /// This class is in a package of Tutti, so the stack has no user frame.
    @Test
    void aRankThatFollowsPrintsOneLine() {
        Throwable own = new IllegalStateException("mine");
        own.setStackTrace(new StackTraceElement[] {new StackTraceElement("A", "main", "A.java", 9)});
        assertThat(FailureReport.following(own, HEAD, 2))
                .isEqualTo("java.lang.IllegalStateException: mine at A.main(A.java:9); rank 2 failed there first");
        assertThat(FailureReport.following(own, HEAD.replace("A.java:9", "A.java:8"), 2))
                .isNull();
        assertThat(FailureReport.following(own, HEAD.replace("IllegalState", "IllegalArgument"), 2))
                .isNull();
        Throwable tuttis = new JobException("recv: rank 2 has failed");
        tuttis.setStackTrace(own.getStackTrace());
        assertThat(FailureReport.following(tuttis, HEAD, 2))
                .isEqualTo(
                        "org.tutti.job.environment.JobException: init: recv: rank 2 has failed at A.main(A.java:9); rank 2 failed first");
    }
}
