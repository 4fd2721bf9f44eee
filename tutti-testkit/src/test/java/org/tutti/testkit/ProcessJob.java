package org.tutti.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Ranks as processes, started by the project's own launcher.
final class ProcessJob extends ContractJob {
    private final Way way;
    private final int ranks;
    private final List<String> arguments;
    private final StringBuffer output = new StringBuffer();
    private volatile @Nullable String done;

    ProcessJob(Way way, int ranks, List<String> arguments) {
        this.way = way;
        this.ranks = ranks;
        this.arguments = arguments;
    }

    static boolean isLauncherBuilt() {
        return Files.isDirectory(launcher());
    }

    private static Path build() {
        return Path.of(System.getProperty("tutti.build", "target")).toAbsolutePath();
    }

    /// The jars of tutti-cli, in a module next to this one that was built the same way.
    private static Path launcher() {
        Path here = Path.of("").toAbsolutePath();
        return here.resolveSibling("tutti-cli").resolve(here.relativize(build())).resolve("lib");
    }

    @Override
    void runAll() throws Exception {
        List<String> command = command();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        Thread reader = Thread.ofPlatform().daemon().name("contract-output").start(() -> read(process));
        String how;
        if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            reader.join(5000);
            if (process.exitValue() == 0 && done != null) return;
            how = "ended with exit code " + process.exitValue() + " in " + running();
        } else {
            // its own children alone; they would otherwise outlive it
            List<ProcessHandle> children = process.descendants().toList();
            process.destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
            reader.join(5000);
            how = "did not end within " + LIMIT_SECONDS + " s, in " + running();
        }
        throw new AssertionError(
                way + " on " + ranks + " ranks " + how + "\n  command: " + String.join(" ", command) + "\n" + output);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                launcher() + "/*",
                "org.tutti.cli.Main",
                "run",
                "-n",
                String.valueOf(ranks)));
        command.addAll(way.options);
        // what a rank of 8 compiles with C2 pays for itself only after the job
        command.addAll(List.of("--jvm", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", build().resolve("classes").toString(), ContractMain.class.getName()));
        command.addAll(arguments);
        return command;
    }

    private void read(Process process) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) hear(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void hear(String line) {
        if (line.startsWith(ContractMain.BEGINS)) {
            hasBegun(line.substring(ContractMain.BEGINS.length()));
        } else if (line.startsWith(ContractMain.PASSED)) {
            String[] words = line.substring(ContractMain.PASSED.length()).split(" ", 2);
            Times.add(way.toString(), ranks, words[0], Long.parseLong(words[1]));
            hasPassed(words[0]);
        } else if (line.startsWith(ContractMain.DONE)) {
            done = line;
        } else {
            output.append(line).append('\n');
        }
    }
}
