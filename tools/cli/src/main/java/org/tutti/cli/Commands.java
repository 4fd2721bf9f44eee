package org.tutti.cli;

import java.util.Arrays;
import java.util.List;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// All code that needs picocli, in a separate class. When the JVM verifies a class, it loads the classes that
/// the class mentions; commands that do not need picocli must not open picocli's jar.
@Command(
        name = "tutti",
        description = "MPI for Java: runs a program as several processes that communicate.",
        versionProvider = Commands.VersionText.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  tutti run -n 4 Hello.java                 4 ranks on this machine",
            "  tutti run -n 4 -cp build/classes my.Main  a compiled program",
            "  tutti run -n 4 --mpi openmpi app.jar      over the machine's MPI library",
            "  tutti COMMAND --help                      the options of a command"
        })
final class Commands implements Runnable {
    /// If a command has at most this number of options, the error about an unknown option lists all options.
    private static final int MOST_LISTED_OPTIONS = 8;

    @CommandLine.Mixin
    final HelpOption help = new HelpOption();

    @CommandLine.Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the versions of Tutti and Java and exit.")
    boolean version;

    /// Supplies the text of [Version] to picocli.
    static final class VersionText implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return Version.lines();
        }
    }

    static int execute(String[] args) {
        List<String> words = List.of(args);
        CommandLine command = commandLine(false);
        if (OptionHelp.isForAll(words, command)) {
            command = commandLine(true);
            words = words.subList(0, words.size() - 1);
        }
        command.setParameterExceptionHandler((e, arguments) -> Main.print(mistake(e, List.of(arguments)), Main.USAGE));
        command.setExecutionExceptionHandler((e, where, result) -> Main.explain(e));
        return command.execute(words.toArray(new String[0]));
    }

    /// Returns the command with all subcommands.
    ///
    /// @param showsAll whether the help has all options
    static CommandLine commandLine(boolean showsAll) {
        CommandLine command = new CommandLine(new Commands());
        // The subcommands, one per line.
        command.addSubcommand(RunCommand.spec(showsAll));
        command.addSubcommand(ServeCommand.spec(showsAll));
        command.addSubcommand(BenchCommand.commandLine(showsAll));
        command.addSubcommand(DoctorCommand.commandLine());
        command.addSubcommand(new ExamplesCommand());
        command.addSubcommand(new InitCommand());
        command.addSubcommand(new ExportCommand());
        command.addSubcommand(new FetchCommand());
        command.addSubcommand(new PsCommand());
        command.addSubcommand(new StacksCommand());
        command.addSubcommand(new DumpCommand());
        command.addSubcommand(new CompletionCommand());
        OptionHelp.installAll(command);
        return command;
    }

    /// Reports that no command was specified.
    @Override
    public void run() {
        throw new UsageException(
                "nothing to do; tutti run -n 4 Hello.java runs a program, tutti --help lists all commands");
    }

    /// Returns one sentence about a mistake in a command line.
    static String mistake(ParameterException e, List<String> words) {
        CommandLine line = e.getCommandLine();
        if (e instanceof MissingParameterException missing
                && missing.getMissing().getFirst() instanceof OptionSpec option) {
            String name = option.names()[0];
            return name + " needs a value: " + name + " " + option.paramLabel();
        }
        if (e instanceof MaxValuesExceededException) {
            for (String word : words) {
                int equals = word.indexOf('=');
                OptionSpec option = equals < 0 ? null : line.getCommandSpec().findOption(word.substring(0, equals));
                if (option != null && option.arity().max() == 0) {
                    return option.longestName() + " has no value; leave out " + word.substring(equals);
                }
            }
        }
        if (!(e instanceof UnmatchedArgumentException unmatched)) return String.valueOf(e.getMessage());
        String word = unmatched.getUnmatched().get(0);
        String command = line.getCommandSpec().qualifiedName();
        if (unmatched.isUnknownOption()) {
            List<String> names = line.getCommandSpec().options().stream()
                    .flatMap(option -> Arrays.stream(option.names()))
                    .toList();
            List<String> like = Suggestions.ofOption(word, names);
            List<String> all = line.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .map(OptionSpec::longestName)
                    .toList();
            return "unknown option " + word + "; "
                    + (like.isEmpty() && all.size() <= MOST_LISTED_OPTIONS
                            ? command + " has " + String.join(", ", all)
                            : hint(like, command + " --help all", "options"));
        }
        List<String> names = List.copyOf(line.getSubcommands().keySet());
        if (names.isEmpty()) return command + " has no argument " + word + "; " + command + " --help explains it";
        return "there is no command " + word + "; "
                + hint(Suggestions.of(word, names), command + " --help", "commands");
    }

    private static String hint(List<String> like, String help, String kind) {
        return like.isEmpty() ? help + " lists all " + kind : "did you mean " + String.join(" or ", like) + "?";
    }
}
