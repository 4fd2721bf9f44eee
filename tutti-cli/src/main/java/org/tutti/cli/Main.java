package org.tutti.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The entry class of the `tutti` command.
@Command(
        name = "tutti",
        description = "MPI for Java: runs a program as several processes that talk to each other.",
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        // Subcommands stand here, one line each.
        subcommands = {RunCommand.class, BenchCommand.class, PrepareCommand.class},
        footer = {
            "",
            "Examples:",
            "  tutti run -n 4 Hello.java                 4 ranks on this machine, nothing to install",
            "  tutti run -n 4 -cp build/classes my.Main  a compiled program",
            "  tutti run -n 4 --engine libmpi app.jar    the same over the machine's MPI library",
            "  tutti run --help                          all options"
        })
public final class Main implements Runnable {
    private static final int USAGE = 2;

    @CommandLine.Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;

    @CommandLine.Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the versions of Tutti and Java and exit.")
    boolean version;

    public static void main(String[] args) {
        System.exit(command().execute(args));
    }

    static CommandLine command() {
        CommandLine command = new CommandLine(new Main());
        // what follows the program is the program's, options too
        Objects.requireNonNull(command.getSubcommands().get("run")).setStopAtPositional(true);
        command.setParameterExceptionHandler((e, arguments) -> explain(e));
        command.setExecutionExceptionHandler((e, where, result) -> {
            String text = e.getMessage() == null ? e.toString() : e.getMessage();
            if (e instanceof UsageException) return say(text, USAGE);
            if (e instanceof IOException || e instanceof UncheckedIOException) return say(text, 1);
            throw e;
        });
        return command;
    }

    /// Without a command there is nothing to do, so say what could be done.
    @Override
    public void run() {
        throw new UsageException("nothing to do; tutti run -n 4 Hello.java runs a program, tutti --help tells more");
    }

    /// One sentence for each mistake, instead of a page of usage.
    private static int explain(ParameterException e) {
        String text = String.valueOf(e.getMessage());
        if (e instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()) {
            List<String> like = unmatched.getSuggestions();
            text = "unknown option " + unmatched.getUnmatched().get(0)
                    + (like.isEmpty() ? "" : "; did you mean " + String.join(" or ", like) + "?");
        } else if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> like = unmatched.getSuggestions();
            text = "there is no command " + unmatched.getUnmatched().get(0)
                    + (like.isEmpty() ? "; tutti --help lists them" : "; did you mean " + String.join(" or ", like) + "?");
        }
        return say(text, USAGE);
    }

    private static int say(String text, int code) {
        System.err.println("tutti: " + text);
        return code;
    }
}
