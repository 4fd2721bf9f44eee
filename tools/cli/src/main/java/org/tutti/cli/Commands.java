package org.tutti.cli;

import java.util.List;
import org.tutti.launch.UsageException;
import org.tutti.launch.text.EditDistance;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// All code that needs picocli, in a separate file, so that commands without picocli do not open the jar. When
/// the JVM verifies a class, it loads classes that the class mentions.
@Command(
        name = "tutti",
        description = "MPI for Java: runs a program as several processes that communicate.",
        versionProvider = Commands.VersionText.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  tutti run -n 4 Hello.java                 4 ranks on this machine, nothing to install",
            "  tutti run -n 4 -cp build/classes my.Main  a compiled program",
            "  tutti run -n 4 --engine libmpi app.jar    the same over the machine's MPI library",
            "  tutti run --help                          all options"
        })
final class Commands implements Runnable {
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
        CommandLine command = new CommandLine(new Commands());
        // The subcommands, one per line.
        command.addSubcommand(RunCommand.spec());
        command.addSubcommand(ServeCommand.spec());
        command.addSubcommand(BenchCommand.commandLine());
        command.addSubcommand(DoctorCommand.commandLine());
        command.addSubcommand(new ExamplesCommand());
        command.addSubcommand(new PsCommand());
        command.addSubcommand(new StacksCommand());
        command.addSubcommand(new DumpCommand());
        command.setParameterExceptionHandler((e, arguments) -> Main.print(mistake(e), Main.USAGE));
        command.setExecutionExceptionHandler((e, where, result) -> Main.explain(e));
        return command.execute(args);
    }

    /// Prints the help, because no command was specified.
    @Override
    public void run() {
        throw new UsageException(
                "nothing to do; tutti run -n 4 Hello.java runs a program, tutti --help lists all commands");
    }

    /// Returns one sentence about a mistake in a command line.
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
        if (like.isEmpty() && !unmatched.isUnknownOption()) {
            like = unmatched.getCommandLine().getSubcommands().keySet().stream()
                    .filter(name -> EditDistance.of(word, name) <= 1)
                    .toList();
        }
        String hint = like.isEmpty() ? "--help lists all options" : "did you mean " + String.join(" or ", like) + "?";
        return (unmatched.isUnknownOption() ? "unknown option " : "there is no command ") + word + "; " + hint;
    }
}
