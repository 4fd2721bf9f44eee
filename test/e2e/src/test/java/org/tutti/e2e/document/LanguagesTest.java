package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;

/// The programs of examples/jvm are compiled by the compilers of the languages and print the output in the
/// comments. The test may download the compilers, which no other build needs.
@Tag("full")
class LanguagesTest extends JobTest {
    private static final Path WHERE = Checkout.scratch("languages");

    private static String libraries = "";

    @BeforeAll
    static void resolve() throws Exception {
        Path list = WHERE.resolve("libraries");
        ProcessOutcome ended = Command.of(
                        Checkout.ROOT.resolve("mvnw").toString(),
                        "-B",
                        "-q",
                        "-f",
                        Checkout.ROOT.resolve("examples/jvm/pom.xml").toString(),
                        "dependency:build-classpath",
                        "-Dmdep.outputFile=" + list)
                .start()
                .await(600);
        assertThat(ended.code()).as("%s", ended).isZero();
        libraries = Files.readString(list).strip();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Points.kt", "Words.scala", "maps.clj"})
    void programPrintsTheOutputOfTheComment(String name) throws Exception {
        Path file = Checkout.ROOT.resolve("examples/jvm", name);
        List<String> lines = Files.readString(file)
                .lines()
                .takeWhile(line -> !line.isEmpty() && !line.equals(" */"))
                .filter(line -> line.matches("( \\*|;;) {5}.*"))
                .map(line -> line.substring(2).strip())
                .toList();
        for (String line : lines) {
            if (line.startsWith("kotlinc ") || line.startsWith("scalac "))
                compile(line.replace("examples/jvm/" + name, file.toString()));
        }
        String run = lines.stream()
                .filter(line -> line.startsWith("./tutti "))
                .findFirst()
                .orElseThrow();
        ProcessOutcome ended = Command.tutti(run.replace("\"", "")
                        .replace("$LIBRARIES", libraries)
                        .replace("examples/jvm/" + name, file.toString())
                        .replace("./tutti ", "")
                        .split(" "))
                .in(WHERE)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out().lines().toList()).isEqualTo(lines.subList(lines.indexOf(run) + 1, lines.size()));
    }

    private static void compile(String command) throws Exception {
        boolean isKotlin = command.startsWith("kotlinc ");
        List<String> compiler = isKotlin
                ? List.of("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect")
                : List.of("dotty.tools.dotc.Main", "-color", "never");
        String shell = "exec \"$0\" -cp \"$LIBRARIES\" " + String.join(" ", compiler)
                + command.substring(command.indexOf(' '));
        ProcessOutcome ended = Command.of("sh", "-c", shell, Checkout.java())
                .env("LIBRARIES", libraries)
                .env("TUTTI", Checkout.classPathText() + File.pathSeparator + libraries)
                .in(WHERE)
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
    }

    @Test
    void dataClassIsRejectedWithTheAlternative() throws Exception {
        Path file = Files.writeString(WHERE.resolve("Data.kt"), """
                import org.tutti.mpi.*
                data class Data(val x: Int)
                fun main() { Mpi.init().use { it.world().bcastObject(Data(1), 0) } }
                """);
        compile("kotlinc -jvm-target 25 -cp \"$TUTTI\" -d data.jar " + file);
        assertFails(
                "Data cannot be sent, because a data class is not a record; declare it as @JvmRecord data class",
                "data.jar",
                "DataKt");
    }

    @Test
    void caseClassIsRejectedWithTheAlternative() throws Exception {
        Path file = Files.writeString(WHERE.resolve("Cases.scala"), """
                import org.tutti.mpi.*
                case class Data(x: Int)
                @main def cases(kind: String) =
                  val mpi = Mpi.init()
                  mpi.world().bcastObject(if kind == "case" then Data(1) else List(1), 0)
                """);
        compile("scalac -cp \"$TUTTI\" -d cases.jar " + file);
        assertFails(
                "Data cannot be sent, because a case class is not a record; declare a record in Java, or send the fields"
                        + " as a java.util.List",
                "cases.jar",
                "cases",
                "case");
        assertFails(
                "cannot be sent; convert it with asJava of scala.jdk.CollectionConverters",
                "cases.jar",
                "cases",
                "list");
    }

    @Test
    void keywordIsRejectedWithTheAlternative() throws Exception {
        Path file = Files.writeString(
                WHERE.resolve("keyword.clj"),
                "(with-open [mpi (org.tutti.mpi.Mpi/init)] (.bcastObject (.world mpi) {:a 1} 0))");
        assertFails(
                "clojure.lang.Keyword cannot be sent; send the name as a string, for a map for example with"
                        + " clojure.walk/stringify-keys",
                ".",
                "clojure.main",
                file.toString());
    }

    private static void assertFails(String message, String classes, String... program) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "run",
                "-n",
                "1",
                "--jvm",
                "-Dclojure.main.report=stderr",
                "-cp",
                classes + File.pathSeparator + libraries));
        line.addAll(List.of(program));
        ProcessOutcome ended =
                Command.tutti(line.toArray(String[]::new)).in(WHERE).run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err()).contains(message);
    }
}
