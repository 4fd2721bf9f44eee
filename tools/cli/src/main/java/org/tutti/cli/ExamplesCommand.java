package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import org.tutti.launch.text.ShellArgument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti examples`: lists, shows and copies the programs of `examples`.
@Command(
        name = "examples",
        description = "Lists the example programs by subject; shows or copies one.",
        sortOptions = false,
        customSynopsis = {
            "tutti examples [WORD]",
            "       tutti examples --show NAME",
            "       tutti examples --copy NAME [DIR]"
        },
        footer = {
            "",
            "Examples:",
            "  tutti examples                    all, by subject",
            "  tutti examples futures            with this word in subject, name or first sentence",
            "  tutti examples --copy KMeans demo the source file and its data, to the directory demo"
        })
final class ExamplesCommand implements Callable<Integer> {
    private static final int INDENT = 2;

    @Option(names = "--show", description = "Print the source of the example NAME.")
    boolean isToShow;

    @Option(
            names = "--copy",
            description = "Copy the example NAME with its data to DIR, by default to the working directory. No file is"
                    + " overwritten.")
    boolean isToCopy;

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(arity = "0..*", hidden = true, completionCandidates = ExampleNames.class)
    List<String> words = List.of();

    /// The names of the installed examples, for completion.
    static final class ExampleNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        ExampleNames() throws IOException {
            if (!ExampleProgram.isInstalled()) return;
            for (ExampleProgram example : ExampleProgram.all()) add(example.name());
        }
    }

    @Override
    public Integer call() throws IOException {
        if (!ExampleProgram.isInstalled()) {
            throw new UsageException(
                    "the examples are in the directory examples of Tutti's source, and this tutti does not"
                            + " run from there; use its ./tutti examples");
        }
        if (isToShow && isToCopy) throw new UsageException("examples: --show and --copy exclude each other; give one");
        String option = isToShow ? "--show" : "--copy";
        if ((isToShow || isToCopy) && words.isEmpty()) {
            throw new UsageException("examples " + option + ": name an example: tutti examples " + option + " Hello");
        }
        if (words.size() > (isToCopy ? 2 : 1)) {
            throw new UsageException("examples " + String.join(" ", words) + ": give "
                    + (isToCopy ? "a name and a directory" : "one word"));
        }
        if (isToShow) System.out.print(named(words.getFirst()).source());
        else if (isToCopy) copy(named(words.getFirst()), Path.of(words.size() > 1 ? words.getLast() : ""));
        else list();
        return 0;
    }

    private void list() throws IOException {
        List<ExampleProgram> all = ExampleProgram.all(), chosen = new ArrayList<>(all);
        if (!words.isEmpty()) {
            String word = ExampleProgram.bare(words.getFirst());
            chosen.removeIf(example -> !example.hasWord(word));
            if (all.stream().anyMatch(e -> e.name().equals(word)))
                chosen.removeIf(e -> !e.name().equals(word));
            if (chosen.isEmpty()) throw unknown(words.getFirst(), all);
        }
        Map<String, List<ExampleProgram>> bySubject = new LinkedHashMap<>();
        for (ExampleProgram e : chosen)
            bySubject.computeIfAbsent(e.subject(), s -> new ArrayList<>()).add(e);
        int width = all.stream().mapToInt(e -> e.name().length()).max().orElse(0) + INDENT;
        bySubject.forEach((subject, examples) -> {
            System.out.println(subject + ":");
            for (ExampleProgram e : examples) {
                String line = " ".repeat(INDENT)
                        + e.name()
                        + " ".repeat(width - e.name().length())
                        + e.summary();
                System.out.println(line);
            }
        });
        ExampleProgram shown = chosen.getFirst();
        System.out.println();
        System.out.println("To run " + shown.name() + ": " + shown.command());
        System.out.println("To copy it with its data: " + Installation.command() + " examples --copy " + shown.name());
    }

    private static ExampleProgram named(String word) throws IOException {
        List<ExampleProgram> all = ExampleProgram.all();
        return all.stream()
                .filter(e -> e.name().equals(ExampleProgram.bare(word)))
                .findFirst()
                .orElseThrow(() -> unknown(word, all));
    }

    private static UsageException unknown(String word, List<ExampleProgram> all) {
        List<String> like = Suggestions.of(
                ExampleProgram.bare(word),
                all.stream().map(ExampleProgram::name).toList());
        return new UsageException("examples " + word + ": no example has this word; "
                + (like.isEmpty() ? "tutti examples lists all" : "did you mean " + String.join(" or ", like) + "?"));
    }

    /// Copies the files of an example, or none if one of the targets exists with a different content.
    private static void copy(ExampleProgram example, Path directory) throws IOException {
        Map<Path, Path> targets = new LinkedHashMap<>();
        for (Path file : Stream.concat(Stream.of(example.file()), example.data().stream())
                .toList()) {
            Path target = directory.resolve(
                    ExampleProgram.directory().relativize(file).toString());
            if (Files.exists(target) && (!Files.isRegularFile(target) || Files.mismatch(file, target) >= 0)) {
                throw new UsageException("examples --copy " + example.name() + ": " + target
                        + " exists; name another directory: tutti examples --copy " + example.name() + " DIR");
            }
            targets.put(file, target);
        }
        try {
            for (Map.Entry<Path, Path> entry : targets.entrySet()) {
                Path parent = entry.getValue().getParent();
                if (parent != null) Files.createDirectories(parent);
                if (!Files.exists(entry.getValue())) Files.copy(entry.getKey(), entry.getValue());
                System.out.println(entry.getValue());
            }
        } catch (IOException e) {
            throw new UsageException("examples --copy " + example.name() + ": " + JobText.reason(e));
        }
        String change =
                directory.toString().isEmpty() ? "" : "cd " + ShellArgument.quoted(directory.toString()) + " && ";
        String command =
                example.command(ShellArgument.quoted(Installation.script().toString()), "");
        System.out.println("To run it: " + change + command);
    }
}
