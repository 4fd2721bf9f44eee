package org.tutti.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.tutti.job.os.OsPlatform;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.Terminal;

/// The entry class of the `tutti` command.
public final class Main {
    static final int USAGE = 2;
    private static final int BROKEN_PIPE = 141;

    private Main() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /// Runs the command and returns the exit code.
    public static int execute(String... words) {
        String lost = LocaleCheck.problem(words);
        if (lost != null) return print(lost, USAGE);
        String[] args = words.length > 0 && words[0].equals("help") ? asOption(words) : words;
        if (args.length > 0 && isForRun(args[0])) {
            return print(
                    "there is no command " + args[0] + "; did you mean tutti run " + String.join(" ", args) + "?",
                    USAGE);
        }
        boolean isRun = args.length > 0 && args[0].equals("run");
        if (isRun || args.length > 0 && args[0].equals("serve"))
            OsPlatform.open().prepare();
        RunArguments quick = isRun ? RunArguments.quick(args, 1) : null;
        int code;
        if (quick != null) code = run(quick);
        else if (List.of(args).equals(List.of("--version"))) code = Version.print();
        else if (List.of(args).equals(List.of("prepare"))) code = prepare();
        else code = Commands.execute(args);
        return code != 0 ? code : written(System.out, Terminal.hasReader(1));
    }

    /// Returns the exit code of a successful command. It is not 0 if the output could not be written: Java does
    /// not report a full disk otherwise.
    static int written(PrintStream out, boolean hasReader) {
        if (!out.checkError()) return 0;
        return hasReader ? BROKEN_PIPE : print("stdout cannot be written; the disk may be full", 1);
    }

    /// Converts `help run`, followed by the arguments of a program, to `run --help`, and `help run all` to
    /// `run --help all`.
    private static String[] asOption(String[] words) {
        if (words.length == 1) return new String[] {"--help"};
        boolean isForAll = words.length == 3 && words[2].equals(OptionHelp.ALL);
        return isForAll ? new String[] {words[1], "--help", OptionHelp.ALL} : new String[] {words[1], "--help"};
    }

    /// Whether the first argument is an option of `run` or a program, and not a command.
    private static boolean isForRun(String word) {
        int equals = word.indexOf('=');
        return RunOption.named(equals < 0 ? word : word.substring(0, equals)) != null
                || word.endsWith(".java")
                || word.endsWith(".jar");
    }

    private static int run(RunArguments arguments) {
        try {
            return arguments.run();
        } catch (Exception e) {
            return explain(e);
        }
    }

    private static int prepare() {
        try {
            return Preparation.run();
        } catch (IOException e) {
            return explain(e);
        }
    }

    /// Prints one sentence for each mistake, instead of the usage or a stack trace.
    static int explain(Exception e) {
        String text = e.getMessage() == null ? e.toString() : e.getMessage();
        switch (e) {
            case UsageException usage -> {
                return print(text, USAGE);
            }
            case IOException io -> {
                return print(text, 1);
            }
            case UncheckedIOException io -> {
                return print(text, 1);
            }
            default -> {
                e.printStackTrace();
                return print("internal error; please report it with the lines above", 1);
            }
        }
    }

    static int print(String text, int code) {
        System.err.println("tutti: " + text);
        return code;
    }
}
