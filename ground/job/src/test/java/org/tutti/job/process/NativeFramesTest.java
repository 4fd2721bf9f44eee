package org.tutti.job.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NativeFramesTest {
    private static final String MESSAGE = "mat1 and mat2 shapes cannot be multiplied (4x3 and 5x2)";
    private static final String FRAMES = "\nException raised from meta at /home/LinearAlgebra.cpp:204 (most recent call"
            + " first):\nframe #0: c10::Error::Error(c10::SourceLocation) + 0xac (0x7f in /home/ada/libc10.so)\n"
            + "frame #1: <unknown function> + 0x2f9ab21 (0x7f037e59ab21 in /home/ada/libtorch_cpu.so)\n";

    @Test
    void aReportHasTheMessageAndTheProgramsLine() {
        RuntimeException failure = new RuntimeException(MESSAGE + FRAMES);
        assertThat(FailureReport.of(failure).lines().limit(2))
                .containsExactly("java.lang.RuntimeException: " + MESSAGE, "\tat " + failure.getStackTrace()[0]);
    }

    @Test
    void aPrintedStackHasThem() {
        String printed = "java.lang.RuntimeException: " + MESSAGE + FRAMES + "\n\tat A.main(A.java:3)\nCaused by: b\n";
        assertThat(NativeFrames.removed(printed))
                .isEqualTo("java.lang.RuntimeException: " + MESSAGE + "\n\tat A.main(A.java:3)\nCaused by: b\n");
    }

    @Test
    void otherMessagesStayAsTheyAre() {
        assertThat(NativeFrames.removed("a\nframe #0: b\n\tat c\n")).isEqualTo("a\nframe #0: b\n\tat c\n");
    }
}
