package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti examples`: the programs of `examples/`, with the first comments.
@Command(name = "examples", description = "Lists the example programs, one line each.")
final class ExamplesCommand implements Callable<Integer> {
    private static final String DIRECTORY = "examples", SUFFIX = ".java";

    @Mixin
    final HelpOption help = new HelpOption();

    static boolean isOf(CommandLine line) {
        return line.getCommand() instanceof ExamplesCommand;
    }

    /// Returns the answer to `tutti examples Hello`.
    static String howToRun(String word) {
        String name = word.substring(word.lastIndexOf('/') + 1).replace(SUFFIX, "");
        boolean isThere = Files.isRegularFile(Installation.home().resolve(DIRECTORY, name + SUFFIX));
        return "examples " + word + ": examples only lists programs; to run one: " + command(isThere ? name : "Hello");
    }

    private static String command(String name) {
        Path home = Installation.home(), file = Path.of(DIRECTORY, name + SUFFIX);
        boolean isHere = home.equals(Path.of("").toAbsolutePath());
        return Installation.command() + " run -n 4 " + (isHere ? file : home.resolve(file));
    }

    @Override
    public Integer call() throws IOException {
        Path directory = Installation.home().resolve(DIRECTORY);
        if (!Installation.isKnown() || !Files.isDirectory(directory)) {
            throw new UsageException(
                    "the examples are in the directory examples of Tutti's source, and this tutti does not"
                            + " run from there; use its ./tutti examples");
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList();
        }
        int width = files.stream().mapToInt(f -> name(f).length()).max().orElse(0);
        for (Path file : files) {
            System.out.println(
                    name(file) + " ".repeat(width - name(file).length() + 2) + summary(Files.readString(file)));
        }
        System.out.println();
        System.out.println("To run one: " + command("Hello"));
        return 0;
    }

    private static String name(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }

    /// Returns the first sentence of a source file's first comment; empty if the file does not begin with a
    /// comment.
    static String summary(String source) {
        StringBuilder text = new StringBuilder();
        for (String line : source.lines().toList()) {
            String bare = line.strip();
            if (!bare.startsWith("/") && !bare.startsWith("*")) break;
            String words = bare.replaceFirst("^(/\\*+|\\*/|\\*|/+)", "")
                    .replaceFirst("\\*+/$", "")
                    .strip();
            if (words.isEmpty() && text.length() > 0) break;
            if (!words.isEmpty()) text.append(text.length() == 0 ? "" : " ").append(words);
        }
        int end = text.indexOf(". ");
        return end < 0 ? text.toString() : text.substring(0, end + 1);
    }
}
