package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class MainTest {
    /// Output to a full disk is lost, which the exit code must report.
    @Test
    @ResourceLock(Resources.SYSTEM_OUT)
    @ResourceLock(Resources.SYSTEM_ERR)
    void aFullDiskIsNoSuccess() throws Exception {
        PrintStream out = System.out, err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        int code;
        try (PrintStream full = new PrintStream(new FileOutputStream("/dev/full"))) {
            System.setOut(full);
            System.setErr(new PrintStream(output, true));
            assertThat(Main.execute("--version")).isNotZero(); // 1 or 141, depending on the stdout of this JVM
            output.reset();
            code = Main.written(full, false);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertThat(code).isEqualTo(1);
        assertThat(output).hasToString("tutti: stdout cannot be written; the disk may be full\n");
    }

    @Test
    void aReaderThatLeavesIsNotReported() {
        PrintStream closed = new PrintStream(new ByteArrayOutputStream(), true) {
            @Override
            public boolean checkError() {
                return true;
            }
        };
        assertThat(Main.written(closed, true)).isEqualTo(141);
        assertThat(Main.written(System.out, true)).isZero();
    }

    /// The command fails before it searches for the program, which does not exist.
    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void aServiceThatCannotStartStartsNoRanks() throws Exception {
        boolean isRoot = java.nio.file.Files.getAttribute(java.nio.file.Path.of("/proc/self"), "unix:uid")
                .equals(0);
        if (isRoot) {
            assertThat(refused("serve", "-n", "2", "no.such.Program"))
                    .contains("this process runs as root; start it as another user, or with --allow-run-as-root");
        }
        assertThat(refused("serve", "-n", "2", "--allow-run-as-root", "--state", "/", "no.such.Program"))
                .contains("--state / is the root directory; name one below it");
    }

    private static String refused(String... words) {
        PrintStream err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try {
            System.setErr(new PrintStream(output, true));
            assertThat(Main.execute(words)).isEqualTo(2);
        } finally {
            System.setErr(err);
        }
        return output.toString();
    }
}
