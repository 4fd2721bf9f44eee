package org.tutti.e2e.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// Class files of programs for the older APIs, in directories and jars, with and without the original jar: the
/// launcher prints a message before a rank would fail with a `NoClassDefFoundError` or a `NoSuchMethodError`.
class DropInJarsTest extends JobTest {
    private static Path jar(String name, String main, Path... directories) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, main);
        Path file = Checkout.scratch("jars").resolve(name);
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Path directory : directories) add(directory, jar);
        }
        return file;
    }

    private static void add(Path directory, JarOutputStream jar) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                jar.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, jar);
                jar.closeEntry();
            }
        }
    }

    private static String option(DropInPrograms api) {
        return switch (api) {
            case OPENMPI -> "--with openmpi-java";
            case MPJ -> "--with mpj";
        };
    }

    private static DropInPrograms other(DropInPrograms api) {
        return api == DropInPrograms.MPJ ? DropInPrograms.OPENMPI : DropInPrograms.MPJ;
    }

    private static String refusal(String... arguments) {
        ProcessOutcome ended = Command.here(arguments);
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        return ended.err();
    }

    @ParameterizedTest
    @EnumSource
    void theMissingDropInIsNamed(DropInPrograms api) throws Exception {
        String classes = api.compiled().toString();
        String main = api.prefix + "Ring";
        Path jar = jar("ring.jar", main, api.compiled());
        String cure = "which is not on its class path; add " + option(api);
        assertThat(refusal("run", "-n", "2", "-cp", classes, main)).contains(main + " uses mpi.", cure);
        assertThat(refusal("run", "-n", "2", "java", "-cp", classes, main)).contains(main + " uses mpi.", cure);
        assertThat(refusal("run", "-n", "2", "-cp", jar.toString(), main)).contains(main + " uses mpi.", cure);
        assertThat(refusal("run", "-n", "2", jar.toString())).contains(jar + " uses mpi.", cure);
        assertThat(refusal("run", "-n", "2", "java", "-jar", jar.toString())).contains(jar + " uses mpi.", cure);
    }

    @ParameterizedTest
    @EnumSource
    void theRightDropInIsProposed(DropInPrograms api) throws Exception {
        String[] with = option(other(api)).split(" ");
        String jar = jar("ring.jar", api.prefix + "Ring", api.compiled()).toString();
        String source = api.source(api.prefix + "Ring").toString();
        String cure = "give " + option(api) + " instead of " + option(other(api));
        assertThat(refusal("run", "-n", "2", with[0], with[1], jar)).contains(jar + " uses mpi.", cure);
        assertThat(refusal("run", "-n", "2", with[0], with[1], source)).contains(source + " calls ", cure);
    }

    @Test
    void twoDropInsAreRefused() {
        assertThat(refusal("run", "--with", "mpj", "--with", "openmpi-java", "Ring"))
                .contains("--with mpj --with openmpi-java: the classes of both are called mpi.MPI");
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    void aJarWithTheOriginalIsRefused(DropInPrograms api) throws Exception {
        Path jar = jar("fat.jar", api.prefix + "Ring", api.compiled(), api.stubs());
        assertThat(refusal("run", "-n", "2", jar.toString()))
                .contains(
                        jar + " uses mpi.",
                        "fat.jar!/mpi/MPI.class, which does not know Tutti's ranks; add " + option(api)
                                + ", whose classes precede it on the class path");
    }

    /// The class path has the order that `--with` creates: the drop-in precedes the jar.
    @ParameterizedTest
    @EnumSource
    void theDropInIsBeforeTheOriginal(DropInPrograms api) throws Exception {
        Path jar = jar("fat.jar", api.prefix + "Pi", api.compiled(), api.stubs());
        ProcessOutcome ended = api.job(Way.SHM, 1, List.of(), List.of(jar.toString()), jar.toString(), "1000")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).startsWith("pi is about 3.14159");
        assertThat(ended.err()).as("%s", ended).contains("tutti: note: mpi.MPI is in ", jar + ", which is not");
    }

    /// Only a note, because a referenced class may never be loaded.
    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    void aReferencedClassCausesANote(DropInPrograms api) throws Exception {
        Path where = Checkout.scratch("indirect");
        Path source = Files.writeString(
                where.resolve("Indirect.java"),
                "class Indirect { public static void main(String[] args) throws Exception { if (args.length > 0) "
                        + api.prefix + "Pi.main(args); } }");
        String classes = api.compiled().toString();
        DropInPrograms.compile(where, classes + File.pathSeparator + api.stubs(), List.of(source));
        ProcessOutcome ended = Command.tutti("run", "-n", "1", "-cp", where + File.pathSeparator + classes, "Indirect")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.err())
                .as("%s", ended)
                .contains("tutti: note: " + api.prefix + "Pi uses mpi.", "not on its class path; add " + option(api));
    }

    /// A program may contain a package with the name `mpi`.
    @Test
    void aPackageMpiOfTheProgramIsUsed() throws Exception {
        Path where = Checkout.scratch("same-package");
        Path own = Files.writeString(
                Files.createDirectories(where.resolve("src/mpi")).resolve("MPI.java"),
                "package mpi; public class MPI { public static void greet() { System.out.println(\"mine\"); } }");
        Path main = Files.writeString(
                where.resolve("src/Greeter.java"),
                "class Greeter { public static void main(String[] args) { mpi.MPI.greet(); } }");
        DropInPrograms.compile(where, "", List.of(own, main));
        ProcessOutcome ended = Command.tutti("run", "-n", "1", "-cp", where.toString(), "Greeter")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).as("%s", ended).isEqualTo("mine\n");
        assertThat(ended.err()).as("%s", ended).isEmpty();
    }
}
