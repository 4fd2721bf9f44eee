package org.tutti.e2e.contract;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tutti.conformance.ContractCase;
import org.tutti.conformance.ContractMain;
import org.tutti.conformance.Contracts;
import org.tutti.e2e.document.Example;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;

/// Checks Tutti over MPI libraries that are not installed on the build machine:
/// `LibraryCheck [--ranks 2,3] [--no-examples] [--large] LIBRARY…`, with LIBRARY as in `tutti run --mpi`.
///
/// For each library the program runs the smoke test of the engine, all contracts on each number of ranks, and
/// every example. The smoke test includes null pointers, stack overflows and divisions by zero, which crash the
/// JVM if a library replaces the signal handlers. The program prints one table row per library, and failures on
/// stderr. If a contract ends the job, the remaining contracts run in a further job. The exit code is 1 if a
/// check failed.
public final class LibraryCheck {
    private static final int LIMIT_SECONDS = 300;
    private static final int LARGE_LIMIT_SECONDS = 1800;
    private static final Pattern OVER = Pattern.compile("ok libmpi: ([^,]*).*, ([^,]*), ABI (\\w+)");
    private static final List<String> SMOKE =
            List.of("messages", "objects", "collectives", "life", "storm", "modes", "exchanges");

    private final List<String> options;
    private final String library;
    private final boolean large;
    private boolean failed;

    private LibraryCheck(String library, boolean large) {
        this.library = library;
        this.large = large;
        options = List.of("--engine", "libmpi", "--mpi", library);
    }

    /// The number of passed checks, and the number of all checks.
    private record Count(int good, int all) {
        Count plus(Count more) {
            return new Count(good + more.good, all + more.all);
        }

        @Override
        public String toString() {
            return good == all ? good + " passed" : "**" + (all - good) + " failed**, " + good + " passed";
        }
    }

    public static void main(String[] args) throws InterruptedException {
        List<Integer> ranks = List.of(2, 3);
        boolean examples = true;
        boolean large = false;
        boolean failed = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--ranks" ->
                    ranks = Stream.of(args[++i].split(","))
                            .map(Integer::valueOf)
                            .toList();
                case "--no-examples" -> examples = false;
                case "--large" -> large = true;
                default -> {
                    LibraryCheck check = new LibraryCheck(args[i], large);
                    System.out.println(check.row(ranks, examples));
                    failed |= check.failed;
                }
            }
        }
        System.exit(failed ? 1 : 0);
    }

    private String row(List<Integer> ranks, boolean examples) throws InterruptedException {
        String smoke = smoke();
        Count facts = new Count(0, 0);
        for (int n : ranks) facts = facts.plus(contract(n));
        Count programs = new Count(0, 0);
        if (examples) {
            for (Example example : Example.all()) {
                if (!example.isStopped()) programs = programs.plus(example(example));
            }
        }
        Matcher over = OVER.matcher(smoke);
        String name = over.find()
                ? "%s | `%s` | %s | passed".formatted(over.group(1), file(over.group(2)), over.group(3))
                : "? | `%s` | ? | **failed**".formatted(library);
        return "| %s | %s | %s |".formatted(name, facts, examples ? programs : "not run");
    }

    private static String file(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private String smoke() throws InterruptedException {
        log("smoke test");
        List<String> arguments = program(
                2,
                Checkout.module("tutti-libmpi").resolve("target/test-classes").toString(),
                "org.tutti.libmpi.Smoke");
        arguments.addAll(SMOKE);
        if (large) arguments.add("large");
        return run("the smoke test", arguments, large ? LARGE_LIMIT_SECONDS : LIMIT_SECONDS);
    }

    /// Runs the contracts on `n` ranks. If a contract ends the job, runs the remaining contracts in a further
    /// job.
    private Count contract(int n) throws InterruptedException {
        log("contract on " + n + (n == 1 ? " rank" : " ranks"));
        Set<String> left = new LinkedHashSet<>();
        for (ContractCase c : Contracts.of("libmpi", n, false)) left.add(c.name());
        int all = left.size(), good = 0;
        while (!left.isEmpty()) {
            List<String> arguments = program(
                    n,
                    Checkout.module("tutti-conformance")
                            .resolve("target/classes")
                            .toString(),
                    ContractMain.class.getName());
            if (left.size() < all) arguments.addAll(left);
            List<String> lines = run("the contract on " + n + " ranks", arguments, LIMIT_SECONDS)
                    .lines()
                    .toList();
            String running = null;
            for (String line : lines) {
                if (line.startsWith(ContractMain.BEGINS)) running = line.substring(ContractMain.BEGINS.length());
                if (!line.startsWith(ContractMain.PASSED)) continue;
                running = null;
                if (left.remove(line.substring(ContractMain.PASSED.length()).split(" ", 2)[0])) good++;
            }
            boolean done = lines.stream().anyMatch(line -> line.startsWith(ContractMain.DONE));
            if (done || running == null) break;
            left.remove(running);
        }
        return new Count(good, all);
    }

    private Count example(Example example) throws InterruptedException {
        log(example.toString());
        try {
            example.check(example.run(options));
            return new Count(1, 1);
        } catch (AssertionError e) {
            fail(example.toString(), e.getMessage());
            return new Count(0, 1);
        }
    }

    private List<String> program(int ranks, String classes, String main) {
        List<String> arguments = new ArrayList<>(List.of("run", "-n", Integer.toString(ranks)));
        arguments.addAll(options);
        Collections.addAll(arguments, "--jvm", "-XX:TieredStopAtLevel=1", "-cp", classes, main);
        return arguments;
    }

    /// Returns the output, even if the program fails or times out.
    private String run(String subject, List<String> arguments, int limitSeconds) throws InterruptedException {
        Child child = Command.tutti(arguments.toArray(new String[0])).start();
        try {
            var ended = child.await(limitSeconds);
            if (ended.code() != 0) fail(subject, ended.toString());
        } catch (AssertionError hung) {
            fail(subject, hung.getMessage());
        }
        return child.outSoFar();
    }

    private void log(String subject) {
        System.err.println(library + ": " + subject);
    }

    private void fail(String subject, String text) {
        failed = true;
        List<String> lines = Arrays.asList(text.split("\n"));
        String end = String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
        System.err.println(library + ": " + subject + " FAILED\n" + end);
    }
}
