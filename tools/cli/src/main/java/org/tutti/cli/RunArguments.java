package org.tutti.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.RankEnvironment;
import org.tutti.launch.UsageException;
import org.tutti.launch.job.Launcher;
import org.tutti.launch.place.Binding;
import org.tutti.launch.program.ProgramNotFoundException;
import org.tutti.launch.run.ColorChoice;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;
import org.tutti.launch.run.Torchrun;

/// Parses a command line of `tutti run`. Programs are separated by `:`, as in mpirun.
///
/// [#quick] parses a valid line without picocli. picocli's class files are too old for the AOT cache, and
/// picocli's reflection dominates the start of the launcher. An invalid line, or a request for help, is passed
/// to picocli, which uses the same table of options.
final class RunArguments {
    static final String NEXT = ":";

    private static final Set<RunOption> DIRECTORIES = EnumSet.of(RunOption.WDIR, RunOption.OUTPUT_DIR);

    private final List<PartArguments> parts = new ArrayList<>();

    /// Notes about programs that may need `--with` for a legacy API: without it, they fail if a certain class
    /// is loaded.
    private final List<String> olderApis = new ArrayList<>();

    /// Parses `arguments`, starting at index `from`; null if picocli must report an error.
    static @Nullable RunArguments quick(String[] arguments, int from) {
        RunArguments read = new RunArguments();
        for (List<String> words : divided(List.of(arguments).subList(from, arguments.length))) {
            PartArguments part = PartArguments.quick(words);
            if (part == null) return null;
            read.add(part);
        }
        return read;
    }

    /// Returns the part of the command line for each program.
    static List<List<String>> divided(List<String> words) {
        List<List<String>> parts = new ArrayList<>();
        List<String> part = new ArrayList<>();
        parts.add(part);
        for (String word : words) {
            if (word.equals(NEXT)) parts.add(part = new ArrayList<>());
            else part.add(word);
        }
        return parts;
    }

    void add(PartArguments part) {
        parts.add(part);
    }

    /// @throws UsageException if a value is invalid
    Run toRun() {
        PartArguments first = parts.getFirst();
        RunBuilder run = Run.of(program(0), arguments(0));
        addPart(run, 0);
        for (int p = 1; p < parts.size(); p++) {
            for (RunOption option : parts.get(p).options()) requireOfAProgram(option, p);
            run.program(program(p), arguments(p));
            addPart(run, p);
        }
        String mpi = first.last(RunOption.MPI);
        String engine = first.last(RunOption.ENGINE);
        String hosts = first.last(RunOption.HOST);
        Path hostfile = path(first, RunOption.HOSTFILE);
        String timeout = first.last(RunOption.TIMEOUT);
        run.mpi(mpi)
                .binding(binding(first))
                .env(environment(first, parts))
                .wdir(path(first, RunOption.WDIR))
                .tagOutput(first.has(RunOption.TAG_OUTPUT))
                .outputDir(path(first, RunOption.OUTPUT_DIR))
                .quiet(first.has(RunOption.QUIET))
                .color(color(first.last(RunOption.COLOR)))
                .profile(first.has(RunOption.PROFILE))
                .trace(path(first, RunOption.TRACE))
                .pool(first.has(RunOption.POOL))
                .dryRun(first.has(RunOption.DRY_RUN))
                .launcherArgs(first.all(RunOption.LAUNCHER_ARG));
        run.torchrun(new Torchrun(
                first.last(RunOption.NPROC_PER_NODE),
                first.last(RunOption.NNODES),
                first.last(RunOption.NODE_RANK),
                first.last(RunOption.MASTER_ADDR),
                first.last(RunOption.MASTER_PORT)));
        String restarts = first.last(RunOption.MAX_RESTARTS);
        if (restarts != null) run.maxRestarts(restarts(restarts));
        String launcher = first.last(RunOption.LAUNCHER);
        if (launcher != null) run.launcher(launcher);
        if (engine != null) run.engine(engine);
        if (hosts != null) run.hosts(hosts);
        if (hostfile != null) run.hostfile(hostfile);
        if (timeout != null) run.timeout(seconds(timeout));
        String stall = first.last(RunOption.STALL);
        if (stall != null) run.stall(stallSeconds(stall));
        String grace = first.last(RunOption.GRACE);
        if (grace != null) run.grace(graceSeconds(grace));
        run.stallAbort(first.has(RunOption.STALL_ABORT));
        String debug = first.last(RunOption.DEBUG);
        boolean suspend = !first.has(RunOption.DEBUG_NOSUSPEND);
        if (debug != null) run.debug(debug, suspend);
        else if (!suspend) {
            throw new UsageException("--debug-nosuspend needs --debug: which ranks a debugger may attach to");
        }
        return run.build();
    }

    /// Runs the job and returns the exit code.
    int run() throws IOException, InterruptedException {
        Run run = toRun();
        if (!parts.getFirst().has(RunOption.QUIET)) for (String note : notes()) Main.print("note: " + note, 0);
        try {
            return Launcher.run(run);
        } catch (ProgramNotFoundException e) {
            throw new UsageException(e.getMessage() + hintOfExample(e.program()));
        }
    }

    /// Returns a hint to the example that has this name or a similar one; otherwise empty.
    private static String hintOfExample(String program) throws IOException {
        if (!ExampleProgram.isInstalled()) return "";
        String name = ExampleProgram.bare(program);
        List<ExampleProgram> all = ExampleProgram.all();
        List<String> names = all.stream().map(ExampleProgram::name).toList();
        List<String> like = names.contains(name) ? List.of(name) : Suggestions.of(name, names);
        if (like.isEmpty()) return "";
        ExampleProgram example = all.get(names.indexOf(like.getFirst()));
        return "; did you mean the example, " + example.command() + "?";
    }

    /// Returns notes about valid command lines that may be mistakes: the first argument of a program is an
    /// option of `tutti run`. The program may have an option with this name. No note is returned if the same
    /// option also precedes the program, because the second occurrence is then intended for the program.
    List<String> notes() {
        List<String> notes = new ArrayList<>(olderApis);
        for (PartArguments part : parts) {
            List<String> words = part.program();
            if (words.size() < 2) continue;
            String word = words.get(1);
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            RunOption option = RunOption.named(equals < 0 ? word : word.substring(0, equals));
            if (option == null || part.has(option)) continue;
            boolean hasValue = option.parameter != null && equals < 0 && words.size() > 2;
            notes.add((hasValue ? word + " " + words.get(2) : word) + " follows " + words.getFirst()
                    + " and is passed to the program; options of tutti run precede the program");
        }
        return notes;
    }

    private String program(int part) {
        PartArguments words = parts.get(part);
        if (!words.program().isEmpty()) return words.program().getFirst();
        String taken = words.takenProgram();
        String why = taken == null ? "" : ", for " + taken;
        throw new UsageException(
                parts.size() == 1
                        ? "nothing to run" + why
                                + "; name a source file, a main class or a jar: tutti run -n 4 Hello.java"
                        : "part " + (part + 1) + " names no program" + why
                                + "; separate two programs by one :, as in"
                                + " tutti run -n 1 A.java : -n 3 B.java");
    }

    private List<String> arguments(int part) {
        List<String> words = parts.get(part).program();
        List<String> own = words.subList(1, words.size());
        if (!Adapter.named(parts.get(part).all(RunOption.WITH)).contains(Adapter.MPJ)) return own;
        if (beginAsMpjExpressDoes(own)) return own;
        // MPJ Express's launcher inserts these three arguments, and MPI.Init removes the arguments again
        String size = parts.get(part).last(RunOption.SIZE);
        List<String> all = new ArrayList<>(List.of("mpj-rank", size == null ? "mpj-size" : size, "smpdev"));
        all.addAll(own);
        return all;
    }

    /// Whether the arguments already begin with MPJ Express's arguments, for example `0 0 native` under mpirun.
    private static boolean beginAsMpjExpressDoes(List<String> words) {
        return words.size() >= 3
                && words.get(0).matches("\\d{1,9}")
                && words.get(1).matches("\\d{1,9}")
                && words.get(2).matches("[a-z]+dev|native|multicore|hybrid|cluster");
    }

    private void addPart(RunBuilder run, int part) {
        PartArguments words = parts.get(part);
        String size = words.last(RunOption.SIZE);
        if (size != null) run.size(ranks(size));
        String path = words.last(RunOption.CLASS_PATH);
        List<String> jvm = new ArrayList<>(words.all(RunOption.JVM));
        List<Adapter> adapters = Adapter.named(words.all(RunOption.WITH));
        Adapter dropIn = Adapter.ofPackageMpi(adapters);
        String own = path == null ? System.getenv("CLASSPATH") : path;
        String program = program(part);
        String doubt = own == null ? Adapter.requireFor(program, adapters) : null;
        if (doubt != null) olderApis.add(doubt);
        if (!program.endsWith(".java")) {
            String note = LegacyApiCheck.checkClasses(program, own, dropIn);
            if (note != null) olderApis.add(note);
        }
        if (!adapters.isEmpty()) {
            if (dropIn != null && program.endsWith(".jar")) {
                // the adapter must precede the program's jar, which may contain the original API
                own = own == null ? program : program + File.pathSeparator + own;
            } else if (own == null && !program.endsWith(".java")) {
                own = "."; // the default class path of `java`
            }
            path = Adapter.classPath(adapters, own);
            if (adapters.stream().anyMatch(Adapter::isLibrary)) jvm.addFirst(Adapter.JVM_OPTION);
        }
        run.classPath(path).jvm(jvm);
    }

    private void requireOfAProgram(RunOption option, int part) {
        if (option.isOfAProgram()) return;
        throw new UsageException(option.names[0] + " is in part " + (part + 1) + " (" + program(part)
                + ") but applies to the whole job; give it before the first program");
    }

    private static Binding binding(PartArguments words) {
        return new Binding(
                words.last(RunOption.BIND_TO),
                words.last(RunOption.MAP_BY),
                words.last(RunOption.CPU_SET),
                path(words, RunOption.RANKFILE),
                words.has(RunOption.OVERSUBSCRIBE),
                words.has(RunOption.REPORT_BINDINGS));
    }

    private static @Nullable Path path(PartArguments words, RunOption option) {
        String given = words.last(option);
        if (given != null && given.isEmpty()) {
            throw new UsageException(option.names[0] + " '': the name is empty; give a "
                    + (DIRECTORIES.contains(option) ? "directory" : "file"));
        }
        return given == null ? null : Path.of(given);
    }

    /// @throws UsageException if the text is not a number
    static int ranks(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException("-n " + text + ": the number of ranks is a whole number, as in -n 4");
        }
    }

    private static int restarts(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new UsageException(
                    "--max-restarts " + text + ": give a whole number of restarts, as in --max-restarts 3");
        }
    }

    private static ColorChoice color(@Nullable String text) {
        if (text == null) return ColorChoice.AUTO;
        for (ColorChoice choice : ColorChoice.values()) {
            if (choice.name().toLowerCase(Locale.ROOT).equals(text)) return choice;
        }
        throw new UsageException("--color " + text + ": there are auto, always and never");
    }

    private static Duration seconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds > 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException("--timeout " + text + ": give a number of seconds, as in --timeout 60");
    }

    private static Duration graceSeconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds >= 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException("--grace " + text
                + ": give a number of seconds, as in --grace 60, or 0 to end ranks as after a failure");
    }

    private static Duration stallSeconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (seconds >= 0 && seconds < 1e9) return Duration.ofNanos((long) (seconds * 1e9));
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException("--stall " + text + ": give a number of seconds, as in --stall 30, or 0 for never");
    }

    private static Map<String, String> environment(PartArguments words, List<PartArguments> parts) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (PartArguments part : parts) {
            Adapter dropIn = Adapter.ofPackageMpi(Adapter.named(part.all(RunOption.WITH)));
            if (dropIn != null) variables.put(RankEnvironment.API, dropIn.option);
        }
        for (String definition : words.all(RunOption.ENV)) {
            int equals = definition.indexOf('=');
            String name = equals < 0 ? definition : definition.substring(0, equals);
            String value = equals < 0 ? System.getenv(name) : definition.substring(equals + 1);
            if (name.isEmpty()) throw new UsageException("-x " + definition + ": give NAME or NAME=VALUE");
            if (value != null) variables.put(name, value);
        }
        if (words.has(RunOption.CHECK)) variables.put(RankEnvironment.CHECK, "1");
        return variables;
    }
}
