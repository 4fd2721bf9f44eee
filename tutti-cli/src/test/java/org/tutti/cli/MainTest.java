package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class MainTest {
    /// What a command says into a full disk is lost, and its exit code tells.
    @Test
    @ResourceLock(Resources.SYSTEM_OUT)
    @ResourceLock(Resources.SYSTEM_ERR)
    void aFullDiskIsNoSuccess() throws Exception {
        PrintStream out = System.out, err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code;
        try (PrintStream full = new PrintStream(new FileOutputStream("/dev/full"))) {
            System.setOut(full);
            System.setErr(new PrintStream(said, true));
            assertThat(Main.execute("--version")).isNotZero(); // whatever stdout of the tests is
            said.reset();
            code = Main.written(full, false);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertThat(code).isEqualTo(1);
        assertThat(said).hasToString("tutti: stdout cannot be written; the disk may be full\n");
    }

    @Test
    void aReaderThatGoesIsNothingToTell() {
        PrintStream gone = new PrintStream(new ByteArrayOutputStream(), true) {
            @Override
            public boolean checkError() {
                return true;
            }
        };
        assertThat(Main.written(gone, true)).isEqualTo(141);
        assertThat(Main.written(System.out, true)).isZero();
    }
}
