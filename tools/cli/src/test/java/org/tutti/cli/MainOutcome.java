package org.tutti.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The output of a command that ran in this JVM. Tests that use this class must lock stdout and stderr.
record MainOutcome(int code, String out, String err) {
    /// The root of the source tree.
    static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    static MainOutcome of(String... words) {
        PrintStream out = System.out, err = System.err;
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream(), errBytes = new ByteArrayOutputStream();
        int code;
        try {
            System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
            code = Main.execute(words);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return new MainOutcome(
                code, outBytes.toString(StandardCharsets.UTF_8), errBytes.toString(StandardCharsets.UTF_8));
    }

    /// As [#of] for the command of the source tree.
    static MainOutcome ofInstallation(String... words) {
        System.setProperty("tutti.home", ROOT.toString());
        try {
            return of(words);
        } finally {
            System.clearProperty("tutti.home");
        }
    }
}
