package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.launch.Launcher;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
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
                        "  tutti run -n 4 --timeout 60 app.jar        ended after a minute, exit code 124");
        return spec;
    }

    @Override
    public Integer call() throws Exception {
        ParseResult parsed = spec.commandLine().getParseResult();
        RunArguments arguments = new RunArguments();
        for (RunOption option : RunOption.values()) {
            if (!parsed.hasMatchedOption(option.names[0])) continue;
            for (String value : parsed.matchedOption(option.names[0]).originalStringValues()) {
                arguments.add(option, value);
            }
        }
        List<String> program = new ArrayList<>();
        if (parsed.hasMatchedPositional(0))
            program.addAll(parsed.matchedPositional(0).originalStringValues());
        arguments.program(program);
        return Launcher.run(arguments.toRun());
    }
}
