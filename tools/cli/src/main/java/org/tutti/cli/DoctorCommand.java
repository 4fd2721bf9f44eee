package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.Doctor;
import org.tutti.cli.doctor.Examination;
import org.tutti.cli.doctor.ExaminedMachine;
import org.tutti.cli.doctor.Finding;
import org.tutti.cli.doctor.Grade;
import org.tutti.cli.doctor.ThisMachine;
import org.tutti.cli.doctor.settings.Evaluation;
import org.tutti.cli.doctor.settings.Fact;
import org.tutti.cli.doctor.settings.Setting;
import org.tutti.cli.doctor.settings.Settings;
import org.tutti.cli.doctor.settings.SettingsEvaluator;
import org.tutti.cli.doctor.settings.SettingsTable;
import org.tutti.cli.doctor.settings.Verdict;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti doctor`: reports problems of this machine and suggests solutions.
@Command(
        name = "doctor",
        description = "Examines this machine, its MPI libraries and their settings, and suggests solutions.",
        footer = {
            "",
            "Exit code 1 if an operation will fail, else 0.",
            "",
            "Examples:",
            "  tutti doctor -n 8                     the machine, for jobs of 8 ranks",
            "  tutti doctor gpu -n 4                 devices, and the device of each of 4 ranks",
            "  tutti doctor env                      settings in the environment and in files",
            "  tutti doctor env --map-by ppr:1:gpu   also the options of an mpirun",
            "  tutti doctor explain OMPI_MCA_coll    the documentation of a name"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int FAILS = 1;
    private static final int WIDTH = 108, VERDICT_WIDTH = 18;

    @Option(
            names = {"-n", "-np"},
            paramLabel = "N",
            description = "Number of ranks of a job. Default: the number of cores.")
    int ranks;

    @Mixin
    final HelpOption help = new HelpOption();

    private DoctorCommand() {}

    static CommandLine commandLine() {
        CommandLine command = new CommandLine(new DoctorCommand());
        // the arguments are options of other commands, for example of mpirun
        CommandLine env = new CommandLine(new Env())
                .setUnmatchedOptionsArePositionalParams(true)
                .setPosixClusteredShortOptionsAllowed(false)
                .setStopAtPositional(true);
        command.addSubcommand(env);
        command.addSubcommand(new CommandLine(new Gpu()));
        command.addSubcommand(new CommandLine(new Explain()).setUnmatchedOptionsArePositionalParams(true));
        return command;
    }

    @Override
    public Integer call() {
        if (ranks < 0) throw new UsageException("-n " + ranks + ": a job has at least one rank");
        return print(Doctor.examine(ExaminedMachine.here(System.getenv(), ranks)));
    }

    /// Prints the findings, and returns the exit code.
    private static int print(Examination examination) {
        for (Examination.Section section : examination.sections()) {
            System.out.println(section.title());
            for (Finding finding : section.findings()) {
                print("  " + pad(finding.grade().toString(), 7), finding.text());
                if (finding.remedy() != null) print("         -> ", finding.remedy());
            }
        }
        long fails = count(examination, Grade.FAILS), warnings = count(examination, Grade.WARN);
        System.out.println();
        System.out.println(
                fails + warnings == 0
                        ? "No problems found."
                        : fails + " will fail, " + warnings + " to check; -> is the solution");
        return fails == 0 ? 0 : FAILS;
    }

    private static long count(Examination examination, Grade grade) {
        return examination.findings().stream()
                .filter(finding -> finding.grade() == grade)
                .count();
    }

    /// `tutti doctor gpu`.
    @Command(
            name = "gpu",
            description =
                    "Examines GPUs and other devices: libraries, versions, devices, settings, assignment to ranks.",
            footer = {
                "",
                "Each kind, cuda, hip, opencl and host, is examined in a separate process.",
                "Exit code 1 if an operation will fail, else 0."
            })
    private static final class Gpu implements Callable<Integer> {
        @Option(
                names = {"-n", "-np"},
                paramLabel = "N",
                description = "Start a job of N ranks on this machine, and print the device of each.")
        @Nullable
        String ranks;

        @Mixin
        final HelpOption help = new HelpOption();

        @Override
        public Integer call() throws Exception {
            int size = ranks == null ? 0 : RunArguments.ranks(ranks);
            if (ranks != null && size < 1) throw new UsageException("-n " + ranks + ": a job has at least one rank");
            return print(Doctor.examineDevices(ExaminedMachine.here(System.getenv(), size), ranks != null));
        }
    }

    /// `tutti doctor env`.
    @Command(
            name = "env",
            description =
                    "Evaluates each setting of MPI libraries, UCX, libfabric, NCCL, RCCL and devices, and options of mpirun.",
            footer = {
                "",
                "Settings are read from the environment, the libraries' files and the arguments after env:",
                "a command line of mpirun, with or without the name.",
                "",
                "Verdicts: OK; IGNORED; REMOVED since a version; FATAL HERE: ends the job; FICTIONAL: never existed;",
                "DEBUG-ONLY: not for scripts; UNKNOWN. Exit code 1 if one is FATAL HERE."
            })
    private static final class Env implements Callable<Integer> {
        @Parameters(arity = "0..*", paramLabel = "OPTIONS", description = "Options of an mpirun or mpiexec.")
        List<String> words = new ArrayList<>();

        @Mixin
        final HelpOption help = new HelpOption();

        @Override
        public Integer call() {
            SettingsTable knowledge = SettingsTable.load();
            ExaminedMachine examined = ExaminedMachine.here(System.getenv(), 0);
            ThisMachine machine = new ThisMachine(examined);
            List<Setting> settings =
                    new ArrayList<>(Settings.of(examined.env(), examined.root(), examined.home(), knowledge));
            settings.addAll(Settings.of(words, knowledge, machine.launcherTaken()));
            SettingsEvaluator evaluator = new SettingsEvaluator(knowledge, machine);
            boolean fatal = false;
            for (Setting setting : settings) {
                Evaluation evaluation = evaluator.evaluate(setting);
                fatal |= evaluation.verdict() == Verdict.FATAL;
                System.out.println(
                        pad(evaluation.words(), VERDICT_WIDTH) + setting.words() + "  (" + setting.origin() + ")");
                print(" ".repeat(VERDICT_WIDTH), evaluation.meaning());
                if (evaluation.remedy() != null) print(" ".repeat(VERDICT_WIDTH) + "-> ", evaluation.remedy());
            }
            if (settings.isEmpty()) System.out.println("no settings in the environment, in files or in the arguments");
            return fatal ? FAILS : 0;
        }
    }

    /// `tutti doctor explain`.
    @Command(name = "explain", description = "Explains a setting or an option, with the source.")
    private static final class Explain implements Callable<Integer> {
        @Parameters(arity = "1", paramLabel = "NAME", description = "OMPI_MCA_coll, coll, NCCL_ALGO, --map-by, …")
        @Nullable
        String name;

        @Mixin
        final HelpOption help = new HelpOption();

        @Override
        public Integer call() {
            String asked = String.valueOf(name);
            SettingsTable knowledge = SettingsTable.load();
            List<Fact> facts = knowledge.explain(asked);
            if (facts.isEmpty()) {
                List<String> similar = knowledge.similar(asked);
                throw new UsageException("unknown: " + asked
                        + (similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?"));
            }
            for (Fact fact : facts) {
                System.out.println(fact.title() + ": " + fact.verdict() + fact.scope());
                print("  ", fact.meaning());
                if (fact.instead() != null) print("  -> ", fact.instead());
                print("  type ", fact.type() + (fact.byDefault() == null ? "" : ", default " + fact.byDefault()));
                print("  source: ", fact.source());
            }
            return 0;
        }
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(1, width - text.length()));
    }

    /// Prints `text`, wrapped, after `head`.
    private static void print(String head, String text) {
        StringBuilder line = new StringBuilder(head);
        String indent = " ".repeat(head.length());
        int words = 0;
        for (String word : text.split(" ")) {
            if (words > 0 && line.length() + 1 + word.length() > WIDTH) {
                System.out.println(line);
                line.setLength(0);
                line.append(indent);
                words = 0;
            }
            if (words++ > 0) line.append(' ');
            line.append(word);
        }
        System.out.println(line);
    }
}
