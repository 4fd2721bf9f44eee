package org.tutti.bench.measure;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.tutti.mpi.Mpi;

/// The report of rank 0 on a measurement, line by line on stdout. The launcher prints and stores it
/// (`org.tutti.bench.report.Result` parses it). Other ranks do not report.
public final class Report {
    /// The prefix of report lines; other lines are passed on unchanged.
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
        write(ENGINE, mpi.engineDescription());
    }

    /// Reports the devices that store the data of the measurement.
    public void device(String words) {
        write(DEVICE, words);
    }

    /// Reports a line to print unchanged.
    public void text(String line) {
        write(TEXT, line);
    }

    /// Begins a table.
    ///
    /// @param format the format of a row, as for `printf`
    /// @param columns the names of the values in files
    public void table(String format, String... columns) {
        write(TABLE, format + SEPARATOR + String.join(SEPARATOR, columns));
    }

    public void row(Object... values) {
        StringBuilder line = new StringBuilder();
        for (Object value : values)
            line.append(line.length() == 0 ? "" : SEPARATOR).append(value);
        write(ROW, line.toString());
    }

    /// Reports the current measurement, as progress information.
    public void now(String what) {
        write(NOW, what);
    }

    private void write(String what, String words) {
        if (!telling) return;
        out.print(MARK + what + SEPARATOR + words + "\n");
        out.flush();
    }
}
