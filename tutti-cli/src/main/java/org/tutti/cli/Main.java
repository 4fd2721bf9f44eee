package org.tutti.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.tutti.job.OsDoor;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The entry class of the `tutti` command.
public final class Main {
    private static final int USAGE = 2;
    private static final int BROKEN_PIPE = 141;

    private Main() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /// Runs the command and returns its exit code.
    public static int execute(String... words) {
        String[] args = words.length > 0 && words[0].equals("help") ? asOption(words) : words;
        if (args.length > 0 && isForRun(args[0])) {
            return say(
                    "there is no command " + args[0] + "; did you mean tutti run " + String.join(" ", args) + "?",
                    USAGE);
        }
        boolean isRun = args.length > 0 && args[0].equals("run");
        if (isRun || args.length > 0 && args[0].equals("serve")) OsDoor.open().prepare();
        RunArguments quick = isRun ? RunArguments.quick(args, 1) : null;
        int code;
        if (quick != null) code = run(quick);
        else if (List.of(args).equals(List.of("--version"))) code = Version.print();
        else code = Commands.execute(args);
        return code != 0 ? code : written(System.out, Terminal.hasReader(1));
    }

    /// The exit code of a command that went well, by what became of its words: Java takes no notice of a full disk.
    ///
    /// @param hasReader whether `out` leads to another process, which may have ended
    static int written(PrintStream out, boolean hasReader) {
        if (!out.checkError()) return 0;
        return hasReader ? BROKEN_PIPE : say("stdout cannot be written; the disk may be full", 1);
    }

    /// `help run`, whose other words would be a program's, as `run --help`.
    private static String[] asOption(String[] words) {
        return words.length == 1 ? new String[] {"--help"} : new String[] {words[1], "--help"};
    }

    /// An option of `run`, or a program, where a command should be.
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

    /// One sentence for each mistake, instead of a page of usage or a stack trace.
    static int explain(Exception e) {
        String text = e.getMessage() == null ? e.toString() : e.getMessage();
        switch (e) {
            case UsageException usage -> {
                return say(text, USAGE);
            }
            case IOException io -> {
                return say(text, 1);
            }
            case UncheckedIOException io -> {
                return say(text, 1);
            }
            default -> {
                e.printStackTrace();
                return say("this should not have happened; please report it with the lines above", 1);
            }
        }
    }

    static int say(String text, int code) {
        System.err.println("tutti: " + text);
        return code;
    }

    /// All that needs picocli, which is loaded only then.
    @Command(
            name = "tutti",
            description = "MPI for Java: runs a program as several processes that talk to each other.",
            versionProvider = Version.class,
            synopsisSubcommandLabel = "COMMAND",
            footer = {
                "",
                "Examples:",
                "  tutti run -n 4 Hello.java                 4 ranks on this machine, nothing to install",
                "  tutti run -n 4 -cp build/classes my.Main  a compiled program",
                "  tutti run -n 4 --engine libmpi app.jar    the same over the machine's MPI library",
                "  tutti run --help                          all options"
            })
    static final class Commands implements Runnable {
        @CommandLine.Mixin
        final HelpOption help = new HelpOption();

        @CommandLine.Option(
                names = {"-V", "--version"},
                versionHelp = true,
                description = "Print the versions of Tutti and Java and exit.")
        boolean version;

        static int execute(String[] args) {
            CommandLine command = new CommandLine(new Commands());
            // Subcommands stand here, one line each.
            command.addSubcommand(RunCommand.spec());
            command.addSubcommand(ServeCommand.spec());
            command.addSubcommand(BenchCommand.commandLine());
            command.addSubcommand(DoctorCommand.commandLine());
            command.addSubcommand(new ExamplesCommand());
            command.addSubcommand(new PrepareCommand());
            command.addSubcommand(new PsCommand());
            command.addSubcommand(new StacksCommand());
            command.addSubcommand(new DumpCommand());
            command.setParameterExceptionHandler((e, arguments) -> say(mistake(e), USAGE));
            command.setExecutionExceptionHandler((e, where, result) -> explain(e));
            return command.execute(args);
        }

        /// Without a command there is nothing to do, so say what could be done.
        @Override
        public void run() {
            throw new UsageException(
                    "nothing to do; tutti run -n 4 Hello.java runs a program, tutti --help tells more");
        }

        /// A mistake in a command line in one sentence.
        static String mistake(ParameterException e) {
            if (e instanceof MissingParameterException missing
                    && missing.getMissing().getFirst() instanceof OptionSpec option) {
                String name = option.names()[0];
                return name + " needs a value: " + name + " " + option.paramLabel();
            }
            if (!(e instanceof UnmatchedArgumentException unmatched)) return String.valueOf(e.getMessage());
            String word = unmatched.getUnmatched().get(0);
            if (!unmatched.isUnknownOption() && ExamplesCommand.isOf(unmatched.getCommandLine())) {
                return ExamplesCommand.howToRun(word);
            }
            List<String> like = unmatched.getSuggestions();
            String hint =
                    like.isEmpty() ? "--help lists what there is" : "did you mean " + String.join(" or ", like) + "?";
            return (unmatched.isUnknownOption() ? "unknown option " : "there is no command ") + word + "; " + hint;
        }
    }
}
