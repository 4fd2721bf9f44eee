package org.tutti.bench.report;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tutti.bench.measure.Report;

/// Parses the output of rank 0, stores the rows, and passes on lines for printing. Lines that are not part of
/// the report are passed on unchanged.
public final class Reader extends OutputStream {
    private final Result result;
    private final Screen screen;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private String format = "";

    public Reader(Result result, Screen screen) {
        this.result = result;
        this.screen = screen;
    }

    @Override
    public synchronized void write(int b) {
        if (b != '\n') {
            line.write(b);
            return;
        }
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (text.startsWith(Report.MARK)) take(text.substring(Report.MARK.length()));
        else screen.print(text);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
        for (int i = from; i < from + length; i++) write(bytes[i]);
    }

    private void take(String report) {
        int end = report.indexOf(Report.SEPARATOR);
        String what = report.substring(0, end), words = report.substring(end + 1);
        switch (what) {
            case Report.ENGINE -> result.engine(words);
            case Report.DEVICE -> result.device(words);
            case Report.TEXT -> screen.print(words);
            case Report.NOW -> screen.now(result.options().test().word() + (words.isEmpty() ? "" : ", " + words));
            case Report.TABLE -> {
                List<String> parts = List.of(words.split(Report.SEPARATOR, -1));
                format = parts.getFirst();
                result.columns(parts.subList(1, parts.size()));
            }
            case Report.ROW -> {
                List<Object> row = new ArrayList<>();
                for (String word : words.split(Report.SEPARATOR, -1)) row.add(value(word));
                result.rows().add(row);
                if (!format.isEmpty()) screen.print(String.format(Locale.ROOT, format, row.toArray()));
            }
            default -> throw new IllegalStateException("unknown report of rank 0: " + what);
        }
    }

    private static Object value(String word) {
        if (word.matches("-?\\d+")) return Long.parseLong(word);
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            return word;
        }
    }
}
