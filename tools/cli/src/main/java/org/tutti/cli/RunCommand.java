package org.tutti.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tutti run` in picocli: the help, and command lines that the quick parser has rejected.
final class RunCommand implements Callable<Integer> {
    private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("run");

    private RunCommand() {}

    /// @param showsAll whether the help has all options
    static CommandSpec spec(boolean showsAll) {
        RunCommand command = new RunCommand();
        CommandSpec spec = command.spec;
        spec.parser().stopAtPositional(true); // arguments and options after the program belong to it
        addOptions(spec);
        OptionHelp.install(spec, groups(), showsAll);
        List<String> footer = new ArrayList<>(List.of(
                "",
                "Examples:",
                "  tutti run -n 4 Hello.java                  a source file",
                "  tutti run -n 4 -cp build/classes my.Main   a class",
                "  tutti run -n 4 app.jar --size 100          a jar, and its arguments",
                "  tutti run -n 4 --jvm -Xmx2g app.jar        an option for every JVM",
                "  tutti run -n 2 --mpi openmpi app.jar       over the machine's Open MPI"));
        if (showsAll) {
            footer.addAll(List.of(
                    "  tutti run -n 4 --timeout 60 app.jar        exit code 124 after a minute",
                    "  tutti run -n 4 --bind-to core app.jar      each rank on a separate core",
                    "  tutti run -n 4 --max-restarts 3 Train.java restart after a failure",
                    "  tutti run -n 5 --pool Julia.java           rank 0 runs main, 1 to 4 its tasks",
                    "  tutti run -n 1 A.java x : -n 3 B.java      rank 0 runs A, 1 to 3 run B",
                    "",
                    "With several programs, each has -n, -cp, --with and --jvm; all other options",
                    "precede the first program.",
                    "The environment of ranks contains TUTTI_RANK, TUTTI_SIZE, TUTTI_LOCAL_RANK and",
                    "TUTTI_LOCAL_SIZE; with an option of torchrun, also RANK, WORLD_SIZE, LOCAL_RANK,",
                    "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT."));
        }
        spec.usageMessage()
                .customSynopsis("tutti run [options] PROGRAM [arguments]")
                .description(
                        "Runs a program as several ranks; ends with the exit code of the first rank that fails.",
                        "PROGRAM is a source file, a main class or a jar.")
                .footer(footer.toArray(new String[0]));
        return spec;
    }

    /// Returns the groups of options in the help; the basic ones first.
    static List<OptionHelp.Group> groups() {
        List<OptionHelp.Group> groups = new ArrayList<>();
        for (RunOption.Group group : RunOption.Group.values()) {
            List<String> names = Arrays.stream(RunOption.values())
                    .filter(option -> option.group == group)
                    .map(option -> option.names[0])
                    .toList();
            groups.add(new OptionHelp.Group(group.heading, group == RunOption.Group.BASIC, names));
        }
        return groups;
    }

    /// Adds all options, `--help`, and the program.
    static void addOptions(CommandSpec spec) {
        for (RunOption option : RunOption.values()) {
            OptionSpec.Builder builder = OptionSpec.builder(option.names).description(option.help);
            if (option.parameter == null) builder.type(boolean.class).arity("0");
            else
                builder.type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity("1")
                        .paramLabel(option.parameter)
                        .completionCandidates(option.words());
            spec.addOption(builder.build());
        }
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help and exit.")
                .build());
        spec.addPositional(PositionalParamSpec.builder()
                .type(List.class)
                .auxiliaryTypes(String.class)
                .arity("0..*")
                .paramLabel("PROGRAM [ARGS...]")
                .hidden(true)
                .build());
    }

    @Override
    public Integer call() throws Exception {
        RunArguments arguments = new RunArguments();
        PartArguments first = read(spec.commandLine().getParseResult());
        List<List<String>> programs = RunArguments.divided(first.program());
        first.program(programs.getFirst());
        arguments.add(first);
        for (List<String> words : programs.subList(1, programs.size())) {
            try {
                arguments.add(read(new CommandLine(spec(false)).parseArgs(words.toArray(new String[0]))));
            } catch (ParameterException e) {
                throw new UsageException(Commands.mistake(e, words));
            }
        }
        return arguments.run();
    }

    static PartArguments read(ParseResult parsed) {
        PartArguments part = new PartArguments();
        for (RunOption option : RunOption.values()) {
            if (!parsed.hasMatchedOption(option.names[0])) continue;
            for (String value : parsed.matchedOption(option.names[0]).originalStringValues()) {
                part.add(option, value);
            }
        }
        if (parsed.hasMatchedPositional(0))
            part.program(parsed.matchedPositional(0).originalStringValues());
        return part;
    }
}
