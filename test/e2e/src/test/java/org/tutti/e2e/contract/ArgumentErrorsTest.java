package org.tutti.e2e.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.conformance.ContractCase;
import org.tutti.conformance.ContractRun;
import org.tutti.conformance.trial.Check;
import org.tutti.e2e.job.Checkout;

/// Every argument error of `org.tutti.mpi` is tested: the contracts, which run on every engine, assert the
/// exact messages.
class ArgumentErrorsTest {
    private static final String THROWN = "MpiException.argument(";
    private static final Path SOURCES = Checkout.module("tutti-mpi").resolve("src/main/java/org/tutti/mpi");
    private static final Path CONTRACTS = Checkout.module("tutti-conformance").resolve("src/main/java");
    private static final Path TESTS = Checkout.module("tutti-e2e").resolve("src/test/java/org/tutti/e2e");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    /// Errors after which a rank cannot continue, so no contract can cover the error: a literal of the message,
    /// and the test that asserts the message.
    private static final Map<String, String> ELSEWHERE = Map.of(
            "this process has already called Mpi.init; call it once per process", "command/UsageTest.java",
            "called after ", "command/UsageTest.java",
            " before this stage was complete", "local/CloseTest.java",
            "this rank has left the job", "launch/SessionTest.java",
            "close", "local/CloseTest.java",
            "this thread is a rank of Tutti.local; use the Mpi that was passed to the body",
                    "local/LocalDiagnosisTest.java",
            " is of a communicator with a different job; pass groups of the same job", "launch/PortTest.java",
            " connects this job with a different job;", "launch/PortTest.java",
            " connects this job with a different job; spawn on a communicator of this job", "launch/PortTest.java");

    @Test
    void theContractCoversEachArgumentError() throws Throwable {
        Map<String, String> sites = sites();
        assertThat(sites).isNotEmpty();
        for (Map.Entry<String, String> elsewhere : ELSEWHERE.entrySet()) {
            assertThat(sites.values().removeIf(text -> text.lines().anyMatch(elsewhere.getKey()::equals)))
                    .as("an error with \"%s\"", elsewhere.getKey())
                    .isTrue();
            assertThat(Files.readString(TESTS.resolve(elsewhere.getValue()))).contains(elsewhere.getKey());
        }
        new ThreadJob(3, ContractRun.DEFAULT_SEED, ArgumentErrorsTest::rejects).runAll();
        sites.keySet().removeAll(Check.rejections());
        assertThat(sites)
                .as("argument errors that no contract has by Check.rejects")
                .isEmpty();
    }

    /// Returns whether the source of the contract calls `Check.rejects`.
    private static boolean rejects(ContractCase fact) {
        try {
            String name = fact.method().getDeclaringClass().getName().replace('.', '/') + ".java";
            String source = Files.readString(CONTRACTS.resolve(name));
            int begin = source.indexOf(" void " + fact.method().getName() + "(Trial ");
            int end = source.indexOf("@Contract", begin);
            return source.substring(begin, end < 0 ? source.length() : end).contains("Check.rejects(");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// Returns the source lines that throw argument errors, such as `Buf.java:199`, each with the string
    /// literals of the message, one per line.
    private static Map<String, String> sites() throws IOException {
        Map<String, String> sites = new TreeMap<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int i = 0; i < lines.size(); i++) {
                    if (!lines.get(i).contains(THROWN)) continue;
                    StringBuilder text = new StringBuilder();
                    for (int k = i; k == i || !lines.get(k - 1).endsWith(";"); k++) {
                        Matcher literal = TEXT.matcher(lines.get(k));
                        while (literal.find()) text.append(literal.group(1)).append('\n');
                    }
                    sites.put(file.getFileName() + ":" + (i + 1), text.toString());
                }
            }
        }
        return sites;
    }
}
