package org.tutti.bench.measure;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.tutti.mpi.Mpi;

/// What rank 0 tells of a measurement, line by line on its stdout, for the launcher to print and keep
/// (`org.tutti.bench.report.Result` reads it). Other ranks tell nothing.
public final class Report {
    /// What begins a line of ours; other lines are somebody else's, to be passed on.
    public static final String MARK = "tutti-bench\t";

    public static final String TEXT = "text",
            ENGINE = "engine",
            DEVICE = "device",
            TABLE = "table",
            ROW = "row",
            NOW = "now";
    public static final String SEPARATOR = "\t";

    private final boolean telling;
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    public Report(Mpi mpi) {
        telling = mpi.world().rank() == 0;
        tell(ENGINE, mpi.engineDescription());
    }

    /// The devices whose memory is measured with.
    public void device(String words) {
        tell(DEVICE, words);
    }

    /// A line to be printed as it is.
    public void text(String line) {
        tell(TEXT, line);
    }

    /// The table that the rows belong to.
    ///
    /// @param format how a row is printed, as of `printf`
    /// @param columns what its values are called in files
    public void table(String format, String... columns) {
        tell(TABLE, format + SEPARATOR + String.join(SEPARATOR, columns));
    }

    public void row(Object... values) {
        StringBuilder line = new StringBuilder();
        for (Object value : values)
            line.append(line.length() == 0 ? "" : SEPARATOR).append(value);
        tell(ROW, line.toString());
    }

    /// What is being measured now, for people who wait.
    public void now(String what) {
        tell(NOW, what);
    }

    private void tell(String what, String words) {
        if (!telling) return;
        out.print(MARK + what + SEPARATOR + words + "\n");
        out.flush();
    }
}
