package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Python;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// A program of examples/, and the contents of the leading comment: a command and the expected output.
///
///      * One rank sends a number to another; …
///      *     ./tutti run -n 4 examples/SendReceive.java
///      *
///      *     After send/receive, the value in rank 0 is null
///      *     …
///
/// The lines of the ranks may be printed in any order. An ellipsis matches any text. An ellipsis on a separate
/// line matches any number of lines.
public record Example(Path file, List<String> options, List<String> arguments, List<String> output) {
    private static final String COMMAND = "./tutti run ", INDENT = "    ", ANY = "…", DATA = "examples/data/";

    public static List<Example> all() {
        try (Stream<Path> files = Files.list(Checkout.ROOT.resolve("examples"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .map(Example::of)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Example named(String name) {
        return of(Checkout.ROOT.resolve("examples", name + ".java"));
    }

    private static Example of(Path file) {
        List<String> comment = comment(file);
        String command = comment.stream()
                .map(String::strip)
                .filter(line -> line.startsWith(COMMAND))
                .findFirst()
                .orElseThrow(() -> new AssertionError(file + ": no line with " + COMMAND + "in the leading comment"));
        List<String> tokens = List.of(command.substring(COMMAND.length()).split(" +"));
        int program = tokens.indexOf("examples/" + file.getFileName());
        assertThat(program)
                .as("%s in the command of the comment: %s", file, command)
                .isNotNegative();
        List<String> output = comment.stream()
                .dropWhile(line -> !line.strip().equals(command))
                .skip(1)
                .takeWhile(line -> line.isBlank() || line.startsWith(INDENT))
                .filter(line -> !line.isBlank())
                .map(Example::general)
                .toList();
        assertThat(output).as("%s: output of the command", file).isNotEmpty();
        return new Example(file, tokens.subList(0, program), tokens.subList(program + 1, tokens.size()), output);
    }

    /// Returns the lines of the comment at the beginning of the file, without the stars.
    private static List<String> comment(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            assertThat(lines.getFirst()).as("%s begins with a comment", file).isEqualTo("/*");
            return lines.stream()
                    .skip(1)
                    .takeWhile(line -> !line.equals(" */"))
                    .map(line -> line.replaceFirst("^ \\* ?", ""))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String general(String line) {
        return line.strip().replaceAll("\\s+", " ");
    }

    /// Returns the command that the comment shows.
    public String command() {
        List<String> tokens = new ArrayList<>(options);
        tokens.add("examples/" + this);
        tokens.addAll(arguments);
        return COMMAND + String.join(" ", tokens);
    }

    /// Returns whether the command also starts a program in another language.
    boolean isMixed() {
        return arguments.contains(":");
    }

    /// Returns whether the example needs an adapter to a tensor library.
    boolean hasTensors() {
        return options.contains("--with");
    }

    /// Returns whether the example uses devices.
    boolean hasDevices() {
        return toString().startsWith("Device");
    }

    /// Returns whether Tutti ends the job, and the output in the comment is the last line of the report.
    public boolean isStopped() {
        return toString().equals("Deadlock.java");
    }

    /// Runs the command of the comment over shared memory, on devices of this kind.
    ProcessOutcome runOn(String kind, int ranks) throws InterruptedException {
        List<String> tokens = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks)));
        tokens.addAll(quick(Way.SHM));
        tokens.add(file.toString());
        return Command.launcher(List.of("--enable-native-access=ALL-UNNAMED"), tokens)
                .env("TUTTI_DEVICE", kind)
                .in(Checkout.scratch("example"))
                .run();
    }

    /// Returns the number of ranks in the command.
    int ranks() {
        return Integer.parseInt(options.get(options.indexOf("-n") + 1));
    }

    /// Runs the command of the comment without changes, in the root directory of the project.
    ProcessOutcome runAsItStands() throws InterruptedException {
        String[] tokens = command().substring("./tutti ".length()).split(" ");
        return Command.tutti(tokens).env("PATH", Python.path()).run();
    }

    /// Runs the command of the comment over the engine `way`, in a separate directory.
    public ProcessOutcome run(Way way) throws InterruptedException {
        way.require();
        return run(quick(way));
    }

    /// Runs the command with the given options of `tutti run`.
    public ProcessOutcome run(List<String> where) throws InterruptedException {
        return run(options, where, arguments);
    }

    /// Runs the program with other numbers of ranks and other arguments.
    public ProcessOutcome run(Way way, int ranks, String... programArguments) throws InterruptedException {
        way.require();
        List<String> first = new ArrayList<>(List.of("-n", Integer.toString(ranks)));
        int with = options.indexOf("--with");
        if (with >= 0) first.addAll(options.subList(with, with + 2));
        return run(first, quick(way), List.of(programArguments));
    }

    /// Returns the options that select the engine `way`. The ranks run only for a short time, and most of this
    /// is start-up, so C2 compilation does not pay off.
    private static List<String> quick(Way way) {
        List<String> where = new ArrayList<>(way.options());
        if (way.isNative() || !Tier.FULL) where.addAll(List.of("--jvm", Command.RANKS_FLAG));
        return where;
    }

    private ProcessOutcome run(List<String> first, List<String> where, List<String> last) throws InterruptedException {
        List<String> tokens = new ArrayList<>(List.of("run"));
        tokens.addAll(first);
        tokens.addAll(where);
        tokens.add(file.toString());
        for (String argument : last)
            tokens.add(
                    argument.startsWith(DATA) ? Checkout.ROOT.resolve(argument).toString() : argument);
        // the launcher searches for adapters relative to the directory of ./tutti
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Dtutti.home=" + Checkout.ROOT);
        return Command.launcher(flags, tokens).in(Checkout.scratch("example")).run();
    }

    /// Like [#check], but accepts merged lines. Ranks in Python write to a terminal of Open MPI, which forwards
    /// a line and the line end separately, so mpirun can insert a line of a different rank between the two.
    public void checkMixed(ProcessOutcome ended) {
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err()).as("%s", ended).isEmpty();
        String left = ended.out();
        for (String line : output) {
            int at = left.indexOf(line);
            assertThat(at).as("nowhere \"%s\" in: %s", line, ended).isNotNegative();
            left = left.substring(0, at) + left.substring(at + line.length());
        }
        assertThat(left).as("output that the comment lacks, in: %s", ended).isBlank();
    }

    /// Fails if the output differs from the comment.
    public void check(ProcessOutcome ended) {
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.problems()).as("%s", ended).isEmpty();
        List<String> left = ended.out().lines().map(Example::general).collect(Collectors.toCollection(ArrayList::new));
        List<String> exactFirst = output.stream()
                .filter(line -> !line.equals(ANY))
                .sorted(Comparator.comparing(line -> line.contains(ANY)))
                .toList();
        for (String line : exactFirst) {
            Pattern pattern = Pattern.compile(
                    Stream.of(line.split(ANY, -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            int at = 0;
            while (at < left.size() && !pattern.matcher(left.get(at)).matches()) at++;
            assertThat(at).as("no line like \"%s\" in: %s", line, ended).isLessThan(left.size());
            left.remove(at);
        }
        if (!output.contains(ANY)) {
            assertThat(left)
                    .as("lines that the comment does not have, in: %s", ended)
                    .isEmpty();
        }
    }

    /// Returns whether the command selects an engine.
    public boolean isForOneEngine() {
        return options.contains("--engine");
    }

    @Override
    public String toString() {
        return file.getFileName().toString();
    }
}
