package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.JobText;
import org.tutti.launch.UsageException;
import org.tutti.launch.text.ShellArgument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `tutti init`: creates a project.
@Command(
        name = "init",
        sortOptions = false,
        customSynopsis = "tutti init [OPTIONS] DIR",
        description = {
            "Creates a project with a program, a test and a README, and prints the commands that test and run it.",
            "By default, a project for Maven whose ranks exchange messages. Existing files are never overwritten.",
            "--gradle, --single and --kotlin exclude each other, as do --kotlin, --pool and --train."
        })
final class InitCommand implements Callable<Integer> {
    private static final String SNAPSHOT = "-SNAPSHOT";

    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            description = "The directory of the project; . for the current one.")
    @Nullable
    String directory;

    @Option(names = "--gradle", description = "Build with Gradle 9.1 or newer.")
    boolean gradle;

    @Option(names = "--single", description = "One source file, without a build tool.")
    boolean single;

    @Option(names = "--kotlin", description = "Kotlin, built with Maven.")
    boolean kotlin;

    @Option(names = "--pool", description = "A program with a pool of ranks that run tasks.")
    boolean pool;

    @Option(names = "--train", description = "A data-parallel training.")
    boolean train;

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException {
        if (directory == null || directory.isEmpty()) {
            throw new UsageException("init needs a directory: tutti init demo");
        }
        Path project = Path.of(directory);
        if (Files.exists(project) && !Files.isDirectory(project)) {
            throw new UsageException("init " + directory + ": this is a file; name a directory");
        }
        ProjectTemplate template = new ProjectTemplate(build(), content());
        try {
            template.write(project);
        } catch (IOException e) {
            throw new IOException("init " + directory + ": " + JobText.reason(e), e);
        }
        String enter = project.toAbsolutePath().normalize().equals(Path.of("").toAbsolutePath())
                ? ""
                : "cd " + ShellArgument.quoted(directory) + " && ";
        String test = template.testCommand(), run = template.runCommand(tutti());
        System.out.println("created " + directory);
        if (test != null && mustBeInstalled(template.tuttiVersion())) {
            System.out.println("First install Tutti in the local Maven repository, because version "
                    + template.tuttiVersion() + " is not on Maven Central:");
            System.out.println("  " + install());
        }
        System.out.println(test == null ? "To run it:" : "To test and run it:");
        System.out.println("  " + enter + (test == null ? run : test));
        if (test != null) System.out.println("  " + run);
        return 0;
    }

    /// Returns the command that starts Tutti in the directory of the project.
    private static String tutti() {
        return Installation.isKnown()
                ? ShellArgument.quoted(Installation.script().toString())
                : ProjectTemplate.COMMAND;
    }

    private ProjectTemplate.Build build() {
        List<String> tools = chosen("--gradle", gradle, "--single", single, "--kotlin", kotlin);
        if (tools.size() > 1)
            throw new UsageException("init " + String.join(" ", tools) + ": these exclude each other");
        return gradle
                ? ProjectTemplate.Build.GRADLE
                : single
                        ? ProjectTemplate.Build.NONE
                        : kotlin ? ProjectTemplate.Build.KOTLIN : ProjectTemplate.Build.MAVEN;
    }

    private ProjectTemplate.Content content() {
        List<String> programs = chosen("--pool", pool, "--train", train, "", false);
        if (programs.size() > 1 || kotlin && !programs.isEmpty()) {
            throw new UsageException(
                    "init " + (kotlin ? "--kotlin " : "") + String.join(" ", programs) + ": these exclude each other");
        }
        return pool
                ? ProjectTemplate.Content.POOL
                : train ? ProjectTemplate.Content.TRAINING : ProjectTemplate.Content.MESSAGES;
    }

    private static List<String> chosen(String a, boolean isA, String b, boolean isB, String c, boolean isC) {
        List<String> names = new ArrayList<>();
        if (isA) names.add(a);
        if (isB) names.add(b);
        if (isC) names.add(c);
        return names;
    }

    private static boolean mustBeInstalled(String version) {
        Path installed = Path.of(System.getProperty("user.home"), ".m2/repository/org/tutti/tutti", version);
        return version.endsWith(SNAPSHOT) && !Files.isDirectory(installed);
    }

    private static String install() {
        return Installation.isKnown() && !Installation.isDistribution()
                ? "cd " + ShellArgument.quoted(Installation.home().toString()) + " && ./mvnw -q install -DskipTests"
                : "./mvnw -q install -DskipTests        in Tutti's source";
    }
}
