package org.tutti.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// `tutti run` as picocli sees it: its help, and the way of a command line that the quick parser did not
/// understand.
final class RunCommand implements Callable<Integer> {
    private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("run");

    private RunCommand() {}

    static CommandSpec spec() {
        RunCommand command = new RunCommand();
        CommandSpec spec = command.spec;
        spec.parser().stopAtPositional(true); // what follows the program is the program's, options too
        addOptions(spec);
        spec.usageMessage()
                .sortOptions(false)
                .width(100)
                .description("Runs a program as several ranks; ends with the exit code of the first that fails.")
                .footer(
                        "",
                        "Examples:",
                        "  tutti run -n 4 Hello.java                  a source file, compiled once and cached",
                        "  tutti run -n 4 -cp build/classes my.Main   a class",
                        "  tutti run -n 4 app.jar --size 100          a jar; what follows it is the program's",
                        "  tutti run -n 4 --jvm -Xmx2g app.jar        an option for every rank's JVM",
                        "  tutti run -n 2 --engine libmpi app.jar     over the machine's Open MPI or MPICH",
                        "  tutti run -n 4 --timeout 60 app.jar        ended after a minute, exit code 124",
                        "  tutti run -n 4 --bind-to core app.jar      each rank on a core of its own",
                        "  tutti run -n 4 --max-restarts 3 Train.java after a failure again, from the program's checkpoint",
                        "  tutti run -n 5 --pool Julia.java           rank 0 runs main, 1 to 4 run its tasks",
                        "  tutti run -n 1 A.java x : -n 3 B.java      two programs, one world: rank 0 runs A, 1 to 3 run B",
                        "",
                        "Of several programs each has its own -n, -cp and --jvm; all other options stand before the first.",
                        "Programs find TUTTI_RANK, TUTTI_SIZE, TUTTI_LOCAL_RANK and TUTTI_LOCAL_SIZE in their environment, and after one",
                        "of torchrun's words RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, too.");
        return spec;
    }

    /// All of them, `--help`, and the program.
    static void addOptions(CommandSpec spec) {
        for (RunOption option : RunOption.values()) {
            OptionSpec.Builder builder = OptionSpec.builder(option.names).description(option.help);
            if (option.parameter == null) builder.type(boolean.class).arity("0");
            else
                builder.type(List.class).auxiliaryTypes(String.class).arity("1").paramLabel(option.parameter);
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
                .hideParamSyntax(true)
                .description("A source file, a main class or a jar, then the program's own arguments.")
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
                arguments.add(read(new CommandLine(spec()).parseArgs(words.toArray(new String[0]))));
            } catch (ParameterException e) {
                throw new UsageException(Commands.mistake(e));
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
