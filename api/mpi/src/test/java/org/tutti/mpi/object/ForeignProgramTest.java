package org.tutti.mpi.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Programs outside of Tutti: a compact source file on the class path, and a module.
class ForeignProgramTest {
    @TempDir
    Path directory;

    @Test
    void privateRecordsOfACompactSourceFileTravel() throws Exception {
        Path source = directory.resolve("Program.java");
        Files.writeString(source, "private record Job(int id, String name) {}\n void main() {}\n");
        compile(source);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Object job = instance(loader.loadClass("Program$Job"));
            byte[] message = RoundTrip.bytes(job);
            assertThat(RoundTrip.of(job, job.getClass())).isEqualTo(job);
            assertThatThrownBy(() -> RoundTrip.read(message))
                    .hasMessage(
                            "names the class Program$Job, which this rank does not have; run the same program on all ranks");
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            Thread.currentThread().setContextClassLoader(loader);
            try {
                assertThat(RoundTrip.read(message)).isEqualTo(job);
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        }
    }

    @Test
    void closedModuleIsReportedWithTheRemedy() throws Exception {
        Path info = directory.resolve("module-info.java");
        Path source = directory.resolve("Job.java");
        Files.writeString(info, "module closed { }");
        Files.writeString(source, "package inside; record Job(int id, String name) {}");
        compile(info, source);
        ModuleLayer boot = ModuleLayer.boot();
        Configuration configuration =
                boot.configuration().resolve(ModuleFinder.of(directory), ModuleFinder.of(), Set.of("closed"));
        Class<?> type = boot.defineModulesWithOneLoader(configuration, ClassLoader.getSystemClassLoader())
                .findLoader("closed")
                .loadClass("inside.Job");
        byte[] message = message(type.getName());
        assertThatThrownBy(() -> new ObjectCodec().decode(MemorySegment.ofArray(message), 0, message.length, type))
                .isInstanceOf(CodecException.class)
                .hasMessage(
                        "inside.Job is not accessible: module closed does not open the package; add `opens inside to"
                                + " org.tutti.mpi;` to the module-info or run with --add-opens closed/inside=org.tutti.mpi");
    }

    private static byte[] message(String name) {
        byte[] message = new byte[4 + 1 + name.length() + 8];
        byte[] head = RoundTrip.message(Tag.RECORD, 0, OwnShape.RECORD, name.length());
        System.arraycopy(head, 0, message, 0, head.length);
        for (int i = 0; i < name.length(); i++) {
            message[head.length + i] = (byte) name.charAt(i);
        }
        return message;
    }

    private static Object instance(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor(int.class, String.class);
        constructor.setAccessible(true);
        return constructor.newInstance(7, "seven");
    }

    private void compile(Path... sources) {
        String[] arguments = new String[sources.length + 2];
        arguments[0] = "-d";
        arguments[1] = directory.toString();
        for (int i = 0; i < sources.length; i++) {
            arguments[i + 2] = sources[i].toString();
        }
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        int rc = ToolProvider.findFirst("javac").orElseThrow().run(writer, writer, arguments);
        assertThat(rc).as(out.toString()).isZero();
    }
}
