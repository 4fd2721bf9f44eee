package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// `//DEPS` and `tutti fetch`, with the settings of a user who has a mirror on this machine.
@Tag("ci")
class LibrariesTest extends JobTest {
    private static final String PROGRAM = """
            //DEPS com.example:greeting:VERSION
            import com.example.Greeting;
            import org.tutti.mpi.*;

            void main() {
                try (Mpi mpi = Mpi.init()) {
                    IO.println(Greeting.of(mpi.world().rank()));
                }
            }
            """;

    private Path directory;

    @BeforeEach
    void needResolver() {
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        directory = Checkout.scratch("libraries");
    }

    private void mirror(String url) throws IOException {
        Files.writeString(
                Files.createDirectories(directory.resolve(".m2")).resolve("settings.xml"),
                "<settings><mirrors><mirror><id>mine</id><mirrorOf>*</mirrorOf><url>" + url
                        + "</url></mirror></mirrors></settings>");
    }

    private Command tutti(List<String> flags, String... arguments) {
        List<String> all = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED", "-Duser.home=" + directory));
        all.addAll(flags);
        return Command.launcher(all, List.of(arguments)).in(directory);
    }

    /// Creates a repository that contains one library.
    private Path repository() throws IOException {
        Path source = Files.writeString(
                directory.resolve("Greeting.java"),
                "package com.example; public class Greeting {"
                        + " public static String of(int rank) { return \"hello, rank \" + rank; } }");
        int code = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(System.out, System.err, "-d", directory.toString(), source.toString());
        assertThat(code).isZero();
        Files.delete(source);
        Path remote = directory.resolve("remote"), folder = remote.resolve("com/example/greeting/1");
        Files.createDirectories(folder);
        Files.writeString(
                folder.resolve("greeting-1.pom"),
                "<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId>"
                        + "<artifactId>greeting</artifactId><version>1</version></project>");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(folder.resolve("greeting-1.jar")))) {
            jar.putNextEntry(new JarEntry("com/example/Greeting.class"));
            Files.copy(directory.resolve("com/example/Greeting.class"), jar);
        }
        Files.delete(directory.resolve("com/example/Greeting.class"));
        mirror(remote.toUri().toString());
        return remote;
    }

    @Test
    void aLibraryIsDownloadedOnce() throws Exception {
        Path remote = repository();
        Files.writeString(directory.resolve("Hello.java"), PROGRAM.replace("VERSION", "1"));
        ProcessOutcome first = tutti(List.of(), "run", "-n", "2", "Hello.java").run();
        assertThat(first.out().lines()).as("%s", first).containsExactlyInAnyOrder("hello, rank 0", "hello, rank 1");
        assertThat(first.err())
                .isEqualTo("tutti: downloading the libraries of Hello.java, once, from " + remote.toUri() + "\n");
        Files.move(remote, directory.resolve("moved"));
        ProcessOutcome second = tutti(List.of(), "run", "-n", "2", "Hello.java").run();
        assertThat(second.out().lines()).as("%s", second).containsExactlyInAnyOrder("hello, rank 0", "hello, rank 1");
        assertThat(second.err()).isEmpty();
    }

    @Test
    void aWrongVersionIsReportedBeforeTheStart() throws Exception {
        Path remote = repository();
        Files.writeString(directory.resolve("Hello.java"), PROGRAM.replace("VERSION", "7"));
        ProcessOutcome ended = tutti(List.of(), "run", "-n", "2", "Hello.java").run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(2);
        assertThat(ended.err())
                .endsWith("tutti: Hello.java: //DEPS: Could not find artifact com.example:greeting:jar:7 in mine ("
                        + remote.toUri() + ")\n");
    }

    /// The server stops sending in the middle of the file, and the process is killed. A second process
    /// continues.
    @Test
    void aKilledDownloadContinues() throws Exception {
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        List<String> ranges = Collections.synchronizedList(new ArrayList<>());
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/com/example/big/1/big-1.jar", exchange -> {
            String range = exchange.getRequestHeaders().getFirst("Range");
            int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
            ranges.add(String.valueOf(range));
            exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
            if (range == null) {
                exchange.getResponseBody().write(content, 0, 1_000_000);
                exchange.getResponseBody().flush();
                return; // the connection stays open
            }
            exchange.getResponseBody().write(content, from, content.length - from);
            exchange.close();
        });
        server.start();
        try {
            mirror("http://localhost:" + server.getAddress().getPort());
            Path home = directory.resolve("home"), with = Files.createDirectories(home.resolve("with/torch"));
            String digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(content));
            Files.writeString(
                    with.resolve("linux-x86_64.tsv"), "com.example:big:1\t" + content.length + "\t" + digest + "\n");
            List<String> flags = List.of("-Dtutti.home=" + home);
            Child first = tutti(flags, "fetch", "torch").start();
            Path partial = with.resolve("big-1.jar.part");
            until(size -> size == 1_000_000L, () -> Files.exists(partial) ? Files.size(partial) : 0L);
            Processes.signal("KILL", first.pid());
            first.await();
            ProcessOutcome second = tutti(flags, "fetch", "torch").run();
            assertThat(second.code()).as("%s", second).isZero();
            assertThat(second.out())
                    .isEqualTo("fetch torch: 1 file, 3 MiB, into " + with
                            + "; 1 MiB are there already\nfetch torch: complete; --with torch uses it\n");
            assertThat(with.resolve("big-1.jar")).hasBinaryContent(content);
            assertThat(ranges).containsExactly("null", "bytes=1000000-");
            assertThat(tutti(flags, "fetch").run().out()).contains("torch          3 MiB  installed\n");
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    @Test
    void withoutANetworkOneSentenceIsPrinted() throws Exception {
        mirror("http://localhost:1");
        Path with = Files.createDirectories(directory.resolve("home/with/torch"));
        Files.writeString(with.resolve("linux-x86_64.tsv"), "com.example:big:1\t3\tabc\n");
        ProcessOutcome ended = tutti(List.of("-Dtutti.home=" + directory.resolve("home")), "fetch", "torch")
                .run();
        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.err().strip().lines())
                .singleElement()
                .asString()
                .startsWith("tutti: fetch torch: Could not transfer artifact com.example:big:jar:1 from/to mine")
                .endsWith("; connect to the network, or set a mirror or a proxy in ~/.m2/settings.xml");
    }
}
