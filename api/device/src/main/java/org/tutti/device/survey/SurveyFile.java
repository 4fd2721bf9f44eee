package org.tutti.device.survey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The answers of a survey, a line each, words separated by tabs. A line is in the file before the next
/// question: what is asked may end the process.
///
///     looked       what   failure, empty where it is there   file, empty where it is none
///     device       id   name   uuid   bytes   architecture   PCI address   multiprocessors   driver
///     opened       id   what compiles for it
///     not-opened   id   why
///     collectives  library   version
///     rank         rank   host   id   name   uuid
///     no-ranks     why
///     way          what `Comm.explain` says of a call on rank 0
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

    void line(@Nullable Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            if (!line.isEmpty()) line.append('\t');
            if (word != null)
                line.append(
                        word.toString().strip().replaceAll("\\s*\n\\s*", "; ").replace('\t', ' '));
        }
        lines.accept(line.toString());
    }
}
