package org.tutti.device.survey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The result file of a survey: one result per line, with tab-separated fields. Each line is written before the
/// next examination starts, because an examination may terminate the process.
///
///     searched     library or call   failure, empty on success   file, empty if none
///     device       id   name   uuid   bytes   architecture   PCI address   multiprocessors   driver
///     opened       id   compiler
///     not-opened   id   reason
///     collectives  library   version
///     rank         rank   host   id   name   uuid
///     no-ranks     reason
///     way          result of `Comm.explain` for a call on rank 0
final class SurveyFile {
    private final Consumer<String> lines;

    SurveyFile(Consumer<String> lines) {
        this.lines = lines;
    }

    static SurveyFile at(Path file) {
        return new SurveyFile(line -> {
            try {
                Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    void line(@Nullable Object... fields) {
        StringBuilder line = new StringBuilder();
        for (Object word : fields) {
            if (!line.isEmpty()) line.append('\t');
            if (word != null)
                line.append(
                        word.toString().strip().replaceAll("\\s*\n\\s*", "; ").replace('\t', ' '));
        }
        lines.accept(line.toString());
    }
}
