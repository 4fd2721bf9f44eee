package org.tutti.train.log;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One value per row, so that metrics can be added and removed at any time:
///
///     step,seconds,name,value
///     120,3.512,loss,0.087
///     120,3.512,samples per second,12310.4
///     120,3.524,test accuracy,0.983
final class CsvRows implements MetricSink {
    private static final String HEAD = "step,seconds,name,value";
    private static final Pattern ROW = Pattern.compile("(-?\\d{1,18}),[^,]*,(.*),([^,]*)");

    private final Path file;
    private final Writer writer;
    private final List<String> kept;

    private CsvRows(Path file, Writer writer, List<String> kept) {
        this.file = file;
        this.writer = writer;
        this.kept = kept;
    }

    /// Opens a file. Existing rows with steps before `step` remain in the file, and other rows are removed.
    ///
    /// @throws IOException also if the file has a different format
    static CsvRows from(Path file, long step) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) Files.createDirectories(parent);
        List<String> kept = Files.isRegularFile(file) ? rowsBefore(file, step) : List.of();
        // the existing rows must not be lost if the disk is full; a pipe or a link is written in place
        boolean isReplaced = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
        Path made = isReplaced ? file.resolveSibling("." + file.getFileName() + ".new") : file;
        CsvRows rows = new CsvRows(file, Files.newBufferedWriter(made), kept);
        try {
            rows.line(HEAD);
            for (String row : kept) rows.line(row);
            rows.writer.flush();
            if (isReplaced) {
                Files.move(made, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            rows.closeQuietly();
            try {
                if (isReplaced) Files.deleteIfExists(made);
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        return rows;
    }

    private static List<String> rowsBefore(Path file, long step) throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (CharacterCodingException e) {
            lines = List.of("");
        }
        if (lines.isEmpty()) return lines;
        if (!lines.getFirst().equals(HEAD)) {
            throw new IOException("the file exists and does not begin with " + HEAD + "; choose a different name");
        }
        List<String> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            Matcher row = ROW.matcher(line); // the last line of a killed rank may be incomplete
            if (row.matches() && Long.parseLong(row.group(1)) < step) rows.add(line);
        }
        return rows;
    }

    /// Returns steps and values of the existing rows with that name.
    List<double[]> before(String name) {
        List<double[]> points = new ArrayList<>();
        for (String line : kept) {
            Matcher row = ROW.matcher(line);
            if (!row.matches() || !row.group(2).equals(name)) continue;
            try {
                points.add(new double[] {Double.parseDouble(row.group(1)), Double.parseDouble(row.group(3))});
            } catch (NumberFormatException e) {
                // the file was edited; the curve has one point fewer
            }
        }
        return points;
    }

    @Override
    public Path file() {
        return file;
    }

    /// Writes a row; it can be read from the file on return.
    @Override
    public void write(long step, double seconds, String name, double value) throws IOException {
        boolean plain = name.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        // a row must be one line, because the next run reads the file line by line
        String cell = plain ? name : "\"" + name.replaceAll("[\n\r]+", " ").replace("\"", "\"\"") + "\"";
        line(step + "," + Math.round(seconds * 1000) / 1000.0 + "," + cell + "," + value);
        writer.flush();
    }

    private void line(String line) throws IOException {
        writer.write(line);
        writer.write('\n');
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
