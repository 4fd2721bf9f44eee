package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Marked;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// Readable error messages: for wrong usage, the command prints one line and ends with exit code 2; for a
/// faulty program, the message contains the values and the source line.
class UsageTest extends JobTest {
    private static final String ROOT = Checkout.ROOT.toString();
    private static final String PROGRAMS = Checkout.PROGRAMS.toString();

    private static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake("", "nothing to do; tutti run -n 4 Hello.java runs a program, tutti --help lists all commands"),
                mistake(
                        "run -n 4",
                        "nothing to run; name a source file, a main class or a jar: tutti run -n 4 Hello.java"),
                mistake(
                        "run -n 2 -x examples/Hello.java",
                        "nothing to run, for -x took examples/Hello.java as its NAME[=VALUE]; name a source file, a main"
                                + " class or a jar: tutti run -n 4 Hello.java"),
                mistake(
                        "run -n 1 examples/Hello.java : -n 1 -cp app.jar",
                        "part 2 names no program, for -cp took app.jar as its PATH; separate two programs by one :, as"
                                + " in tutti run -n 1 A.java : -n 3 B.java"),
                mistake("run -n 4 Missing.java", "no file Missing.java here (" + ROOT + ")"),
                mistake("run -n 4 missing.jar", "no file missing.jar here (" + ROOT + ")"),
                mistake(
                        "run -cp " + PROGRAMS + " programs.NoMain",
                        "class programs.NoMain has no main method; add `void main()`, `static void main(String[] args)`"
                                + " or another of its forms"),
                mistake(
                        "run -cp " + PROGRAMS + " programs.Missing",
                        "no class programs.Missing on the class path " + PROGRAMS
                                + "; name a source file (Hello.java), a jar (app.jar), or a class with -cp <class path>"),
                mistake("run -n 0 examples/Hello.java", "-n 0: a job has at least 1 rank"),
                mistake("run -n -3 examples/Hello.java", "-n -3: a job has at least 1 rank"),
                mistake("run -n x examples/Hello.java", "-n x: the number of ranks is a whole number, as in -n 4"),
                mistake(
                        "run --xyzzy examples/Hello.java",
                        "unknown option --xyzzy; tutti run --help all lists all options"),
                mistake("run --wdir nowhere examples/Hello.java", "--wdir nowhere: there is no such directory"),
                mistake(
                        "run --engine smoke examples/Hello.java",
                        "--engine smoke: there are shm (shared memory, nothing to install) and libmpi (the MPI library of"
                                + " this machine)"),
                mistake(
                        "run --engine openmpi examples/Hello.java",
                        "--engine openmpi: there are shm (shared memory, nothing to install) and libmpi (the MPI library"
                                + " of this machine); did you mean --mpi openmpi?"),
                mistake(
                        "run --mpi /nowhere/libmpi.so examples/Hello.java",
                        "--mpi /nowhere/libmpi.so: the file does not exist; give openmpi, mpich, abi or the file of a library (libmpi.so)"),
                mistake(
                        "run --timeout soon examples/Hello.java",
                        "--timeout soon: give a number of seconds, as in --timeout 60"),
                mistake(
                        "run --stall never examples/Hello.java",
                        "--stall never: give a number of seconds, as in --stall 30, or 0 for never"),
                mistake(
                        "run --stall-abort --stall 0 examples/Hello.java",
                        "--stall-abort and --stall 0: the first ends a job that stalls, the second disables stall detection;"
                                + " leave out one"),
                mistake(
                        "run -n 2 --debug one examples/Hello.java",
                        "--debug one: give ranks, as in --debug 0,2-3, or all"),
                mistake(
                        "run -n 2 --debug 1-2 examples/Hello.java",
                        "--debug 1-2: there is no rank 2; the job has ranks 0-1"),
                mistake(
                        "run -n 1 --debug 1 examples/Hello.java",
                        "--debug 1: there is no rank 1; the job has only rank 0"),
                mistake(
                        "run --debug-nosuspend examples/Hello.java",
                        "--debug-nosuspend needs --debug: which ranks a debugger may attach to"),
                mistake(
                        "run -H node7:2 --debug 0 examples/Hello.java",
                        "--debug 0: a debugger attaches to ranks on this machine, and this job has ranks on others; run"
                                + " it here, or give --jvm -agentlib:jdwp=…"),
                mistake(
                        "run -n 1 examples/Hello.java : -n 1 --debug 1 x.py",
                        "--debug is in part 2 (x.py) but applies to the whole job; give it before the first program"),
                mistake(
                        "run --debug 1 -n 1 examples/Hello.java : -n 1 x.py",
                        "--debug 1: rank 1 is x.py, which is not a Java program"),
                mistake(
                        "run --stall -1 examples/Hello.java",
                        "--stall -1: give a number of seconds, as in --stall 30, or 0 for never"),
                mistake("run -x =1 examples/Hello.java", "-x =1: give NAME or NAME=VALUE"),
                mistake("bench", "bench: name a test, as in tutti bench latency; tutti bench --help lists them"),
                mistake(
                        "bench latncy",
                        "bench latncy: there is no such test; did you mean latency? tutti bench --help lists them"),
                mistake("bench latency -n 1", "-n 1: latency needs 2 ranks"),
                mistake("bench latency --plot x.pdf", "--plot x.pdf: give a name that ends in .svg or .png"),
                mistake(
                        "bench compare --tests latncy",
                        "--tests latncy: latncy is not compared; did you mean latency? There are latency, bw, allreduce,"
                                + " bcast, allgather, alltoall, bibw, reduce, reduce-in-place, object, startup, barrier,"
                                + " comms, column, put-latency, get-latency, acc-latency, fop-latency, cas-latency,"
                                + " io-write, io-read, io-write-at, io-read-at, io-write-shared, io-open, pipeline,"
                                + " global-sum, stencil, transpose-exchange, transpose-alltoall, transpose-put,"
                                + " transpose-shared, sparse, random-access, particles, kernels"),
                mistake("bench stencil --size tiny", "--size tiny: there are small, medium, long"),
                mistake("bench compare --size tiny", "--size tiny: there are small, medium, long"),
                mistake(
                        "bench compare --launches 0",
                        "--launches 0: whole numbers from 1 to 1000, as in --launches 10"),
                mistake("bench latency --busy two", "--busy two: a whole number from 0 to 1024, as in --busy 2"),
                mistake("bench compare --busy -1", "--busy -1: a whole number from 0 to 1024, as in --busy 2"),
                mistake("bench compare --who me", "--who me: there are shm, libmpi, c, mpi4py"));
    }

    private static Arguments mistake(String arguments, String text) {
        return Arguments.of(arguments, text);
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void printsOneSentenceAndExitsWith2(String arguments, String text) throws Exception {
        ProcessOutcome ended = Command.here(arguments.isEmpty() ? new String[0] : arguments.split(" "));
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err()).isEqualTo("tutti: " + text + "\n");
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void anOptionWithoutAValueIsNamed() throws Exception {
        ProcessOutcome ended = Command.here("run", "-n");
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err()).hasLineCount(1).startsWith("tutti: ").contains("-n");
    }

    @Test
    void aCompileErrorIsShownOnce() throws Exception {
        Path source = Checkout.scratch("usage").resolve("Wrong.java");
        Files.writeString(source, "void main() {\n    int x = \"text\";\n}\n");
        ProcessOutcome ended = Command.here("run", "-n", "4", source.toString());
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err()).containsOnlyOnce("Wrong.java:2: error: ").contains("1 error");
        assertThat(ended.lastErrorLine()).isEqualTo("tutti: Wrong.java does not compile; see above");
    }

    @Test
    void aJarWithoutMainClassNamesTheOption() throws Exception {
        Path jar = Checkout.scratch("usage").resolve("app.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new java.util.zip.ZipEntry("file"));
        }
        ProcessOutcome ended = Command.here("run", jar.toString());
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("tutti: the manifest of " + jar
                        + " names no Main-Class; name the class yourself: tutti run -cp " + jar + " <main class>\n");
    }

    /// Returns modes of `programs.Mistakes`, in which rank 1 of 2 makes a wrong call, and parts of the message.
    private static Stream<Arguments> wrongCalls() {
        return Stream.of(
                Arguments.of("destination", List.of("send", "dest=2", "rank 1 of 2")),
                Arguments.of("tag", List.of("send", "tag=-5", "rank 1 of 2")),
                Arguments.of(
                        "objectType",
                        List.of(
                                "recvObject: ",
                                "from rank 0, tag 7",
                                "java.util.List",
                                "java.util.Map",
                                "rank 1 of 2")),
                Arguments.of("gatherTooSmall", List.of("gather: recv holds 5 elements", "rank 1 of 2")),
                Arguments.of(
                        "afterClose",
                        List.of(
                                "barrier",
                                "called after Mpi.close at "
                                        + Marked.program("Mistakes").line("afterClose"),
                                "rank 1 of 2")),
                Arguments.of(
                        "initTwice",
                        List.of("init: this process has already called Mpi.init; call it once per process")));
    }

    /// With `-Pci` one program runs over one library, by default none does.
    private static boolean isTried(Way way, Object program) {
        return Tier.FULL || way == (Tier.CI && program.equals("objectType") ? Way.MPICH : Way.SHM);
    }

    private static Stream<Arguments> wrongCallsOnAllWays() {
        return Stream.of(Way.values())
                .flatMap(way -> wrongCalls()
                        .filter(call -> isTried(way, call.get()[0]))
                        .map(call -> Arguments.of(way, call.get()[0], call.get()[1])));
    }

    @ParameterizedTest
    @MethodSource("wrongCallsOnAllWays")
    @Tag("ci")
    void aWrongCallNamesTheValuesAndTheLine(Way way, String program, List<String> texts) throws Exception {
        ProcessOutcome ended =
                Command.program(way, 2, List.of(), "Mistakes", program).run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lastErrorLine())
                .as("%s", ended)
                .startsWith("tutti: rank 1 failed first: ")
                .contains(texts)
                .contains("at programs.Mistakes.main(Mistakes.java:");
    }
}
