package org.tutti.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.launch.UsageException;
import org.tutti.launch.run.Run;

/// Programs of package `mpi`: the API that each program needs, with and without the matching `--with`.
class LegacyApiCheckTest {
    private static final String HOME = "tutti.home";

    @TempDir
    private Path home;

    private @Nullable String homeBefore;

    /// Creates a checkout with the two adapters packaged.
    @BeforeEach
    void makeHome() throws Exception {
        for (String module : new String[] {"compat/compat-openmpi", "compat/compat-mpj"}) {
            Path jar = home.resolve(module, "target", "lib", "tutti.jar");
            Files.createDirectories(jar.getParent());
            try (OutputStream _ = Files.newOutputStream(jar)) {
                // an empty file is sufficient
            }
        }
        homeBefore = System.setProperty(HOME, home.toString());
    }

    @AfterEach
    void restoreHome() {
        if (homeBefore == null) System.clearProperty(HOME);
        else System.setProperty(HOME, homeBefore);
    }

    private static @Nullable String source(String text, @Nullable Adapter given) {
        return LegacyApiCheck.checkSource("P.java", text, given);
    }

    @Test
    void packagesBelowMpiAreTheProgramsOwn() {
        assertThat(source("import mpi.mine.MyComm;\n MyComm c; c.Rank();", null))
                .isNull();
        assertThatThrownBy(() -> source("import mpi.*;\nimport mpi.mine.MyComm;", null))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("P.java imports mpi, which is not on its class path");
        assertThatThrownBy(() -> source("import static mpi.MPI.COMM_WORLD;", null))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void theOptionOfTheOtherApiIsRefusedWhereACommunicatorIsCalled() {
        for (String call : new String[] {
            "MPI.COMM_WORLD.Rank();",
            "Intracomm world = MPI.COMM_WORLD; world.Rank();",
            "var w = MPI.COMM_WORLD; w.Rank ();",
            "int of(Comm c) { return c.Rank(); }"
        }) {
            assertThatThrownBy(() -> source("import mpi.*; " + call, Adapter.OPENMPI_JAVA))
                    .hasMessage("P.java calls Rank(), which is part of MPJ Express; give --with mpj instead of --with"
                            + " openmpi-java");
        }
        assertThat(source("import mpi.*; MPI.COMM_WORLD.Rank();", Adapter.MPJ)).isNull();
    }

    /// For example, a playing card also has a rank.
    @Test
    void aMethodOfTheProgramsOwnClassIsANote() {
        String program = "import mpi.*; class P { void f(Card card) { card.Rank(); MPI.COMM_WORLD.barrier(); } }";
        assertThat(source(program, Adapter.OPENMPI_JAVA))
                .isEqualTo(
                        "P.java calls Rank(), which is part of MPJ Express; give --with mpj instead of --with openmpi-java"
                                + " if it is called on a communicator");
    }

    /// Writes a class with a main method that calls the static method `name` of `owner`.
    private String calling(String owner, String name) throws Exception {
        MethodTypeDesc main = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String.arrayType());
        byte[] bytes = ClassFile.of()
                .build(
                        ClassDesc.of("Caller"),
                        c -> c.withMethodBody(
                                "main",
                                main,
                                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                                b -> b.invokestatic(ClassDesc.of(owner), name, MethodTypeDesc.of(ConstantDescs.CD_void))
                                        .return_()));
        Files.write(home.resolve("Caller.class"), bytes);
        return home.toString();
    }

    @Test
    void membersOfProgramClassesAreInconclusive() throws Exception {
        for (String own :
                new String[] {"mpi.mine.MyComm", "mpi.mine.MyRequest", "mpi.MyComm", "mpi.mine.deep.Request"}) {
            String path = calling(own, "Rank");
            assertThat(LegacyApiCheck.checkClasses("Caller", path, null))
                    .as(own)
                    .isNull();
            assertThat(LegacyApiCheck.checkClasses("Caller", path, Adapter.OPENMPI_JAVA))
                    .as(own)
                    .isNull();
        }
        String path = calling("mpi.Comm", "Rank");
        assertThatThrownBy(() -> LegacyApiCheck.checkClasses("Caller", path, null))
                .hasMessageContaining("Caller uses mpi.Comm.Rank, which is not on its class path; add --with mpj");
    }

    /// The program may load the original class by name, which the check cannot detect, so the result is a note.
    @Test
    void anOriginalOnTheClassPathIsANote() throws Exception {
        ClassDesc world = ClassDesc.of("mpi.Intracomm");
        byte[] original = ClassFile.of()
                .build(
                        ClassDesc.of("mpi.MPI"),
                        c -> c.withField("COMM_WORLD", world, 0).withField("newByteBuffer", world, 0));
        Files.write(Files.createDirectories(home.resolve("mpi")).resolve("MPI.class"), original);
        assertThat(LegacyApiCheck.checkClasses("Caller", calling("some.Other", "f"), null))
                .contains("mpi/MPI.class is on the class path of Caller and does not know Tutti's ranks;")
                .contains("add --with openmpi-java");
        assertThat(LegacyApiCheck.checkClasses("Caller", home.toString(), Adapter.OPENMPI_JAVA))
                .isNull();
    }

    private Run run(String... words) {
        return RunArguments.quick(words, 0).toRun();
    }

    @Test
    void ranksReceiveTheApiOfTheProgram() {
        String path = home.toString();
        assertThat(run("--with", "openmpi-java", "-n", "2", "-cp", path, "P")
                        .ranks()
                        .env())
                .containsEntry("TUTTI_API", "openmpi-java");
        assertThat(run("--with", "mpj", "-n", "2", "-cp", path, "P").ranks().env())
                .containsEntry("TUTTI_API", "mpj");
        assertThat(run("-n", "2", "-cp", path, "P").ranks().env()).doesNotContainKey("TUTTI_API");
    }

    @Test
    void argumentsOfMpjExpressAreAddedOnce() {
        assertThat(words("7", "x")).containsExactly("mpj-rank", "2", "smpdev", "7", "x");
        assertThat(words("0", "0", "x")).containsExactly("mpj-rank", "2", "smpdev", "0", "0", "x");
        for (String device : new String[] {"native", "niodev", "smpdev", "multicore", "hybdev"}) {
            assertThat(words("0", "0", device, "x")).containsExactly("0", "0", device, "x");
        }
    }

    private Iterable<String> words(String... program) {
        String[] all = new String[7 + program.length];
        System.arraycopy(new String[] {"--with", "mpj", "-n", "2", "-cp", home.toString(), "P"}, 0, all, 0, 7);
        System.arraycopy(program, 0, all, 7, program.length);
        return run(all).programs().getFirst().args();
    }
}
