package org.tutti.e2e.diagnosis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.e2e.job.Checkout;

/// A bug in docs/mistakes.md: a part of the program and, after the command, the output. An ellipsis in the
/// output matches any text.
///
/// @param code lines of the program, without the comments that name the ranks
/// @param printed lines of stderr
record MistakesPage(List<String> code, List<String> printed) {
    private static final String JAVA = "```java", FENCE = "```", ANY = "…";

    /// @param program the class in `programs` that contains the bug
    static MistakesPage of(String program, String bug) {
        List<String> lines = read();
        int command = lines.indexOf("`tutti run -n 2 … " + program + " " + bug + "`:");
        if (command < 0) throw new AssertionError("docs/mistakes.md does not show " + bug);
        int code = lines.subList(0, command).lastIndexOf(JAVA);
        return new MistakesPage(block(lines, code), block(lines, command + 2));
    }

    private static List<String> read() {
        try {
            return Files.readAllLines(Checkout.ROOT.resolve("docs/mistakes.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the lines between the fence at index `fence` and the next fence.
    private static List<String> block(List<String> lines, int fence) {
        return lines.subList(fence + 1, lines.size()).stream()
                .takeWhile(line -> !line.equals(FENCE))
                .map(String::strip)
                .toList();
    }

    /// Returns whether `printed` has a line like `line`, or like the corresponding line of the other rank, in
    /// which the texts of `here` and `there` are exchanged.
    static boolean isPrinted(String printed, String line, List<String> here, List<String> there) {
        Pattern same = pattern(line), other = pattern(swapped(line, here, there));
        return printed.lines()
                .anyMatch(printedLine -> same.matcher(printedLine).matches()
                        || other.matcher(printedLine).matches());
    }

    private static Pattern pattern(String line) {
        return Pattern.compile(
                Stream.of(line.split(ANY, -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    private static String swapped(String line, List<String> here, List<String> there) {
        String text = line;
        for (int i = 0; i < here.size(); i++) {
            text = text.replace(here.get(i), "\0")
                    .replace(there.get(i), here.get(i))
                    .replace("\0", there.get(i));
        }
        return text;
    }
}
