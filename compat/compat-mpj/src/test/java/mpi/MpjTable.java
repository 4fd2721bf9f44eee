package mpi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// The members of the original: `mpj-express.tsv`.
final class MpjTable {
    /// @param parameters for example `int, Datatype`
    /// @param type of a field or a result; for a class its superclass and interfaces
    /// @param value `=n` if the member is a compile-time constant
    record Row(
            String className,
            String kind,
            String modifiers,
            String name,
            String parameters,
            String type,
            String exceptions,
            String means,
            String value) {
        boolean isLeftOut() {
            return means.contains("leave out");
        }

        boolean isClass() {
            return kind.equals("class") || kind.equals("interface");
        }
    }

    private MpjTable() {}

    static List<Row> rows() {
        try (InputStream in = Objects.requireNonNull(MpjTable.class.getResourceAsStream("mpj-express.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .skip(1)
                    .map(MpjTable::row)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Row row(String line) {
        String[] c = line.split("\t", -1);
        return new Row(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]);
    }
}
