package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// The project examples/spring-boot: built by Maven with this build's jars, started as a user does.
@Tag("ci")
class SpringBootExampleTest extends JobTest {
    private static final Path PROJECT = Checkout.ROOT.resolve("examples/spring-boot");
    private static final Path WHERE = Checkout.scratch("spring-boot");
    private static final Path REPOSITORY = WHERE.resolve("m2");

    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    @Test
    void requestsAreAnsweredWhileWorkersDie() throws Exception {
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        Path jar = built();
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Child server = Command.of(
                        Checkout.java(),
                        "-XX:-UsePerfData",
                        Command.RANKS_FLAG,
                        "-jar",
                        jar.toString(),
                        "--server.port=" + port)
                .start();
        until(log -> log.contains("Started Application") || !server.isAlive(), server::outSoFar);
        assertThat(Double.parseDouble(get("/price/100"))).isBetween(7.9, 8.05); // by Black-Scholes 7.97
        List<Long> workers = workers();
        assertThat(workers).hasSize(2);
        Processes.signal("KILL", workers.getFirst());
        for (int i = 0; i < 10; i++)
            assertThat(Double.parseDouble(get("/price/110"))).isBetween(4.2, 4.4);
        assertThat(workers()).containsExactly(workers.getLast());
        Processes.signal("TERM", server.pid());
        ProcessOutcome outcome = server.await();
        assertThat(outcome.code()).as("%s", outcome).isEqualTo(143);
        assertThat(outcome.out()).as("%s", outcome).doesNotContain("ERROR", "WARN");
        assertThat(outcome.err())
                .as("%s", outcome)
                .isEqualTo("tutti: rank 1 was killed (SIGKILL); the pool" + " continues without it\n");
        assertNothingIsLeft();
    }

    private List<Long> workers() throws Exception {
        return Stream.of(get("/workers").split("\\D+"))
                .filter(pid -> !pid.isEmpty())
                .map(Long::valueOf)
                .toList();
    }

    private String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofMinutes(2))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as("%s", answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static Path built() throws Exception {
        String pom = Files.readString(PROJECT.resolve("pom.xml"));
        assertThat(first(pom, "<tutti.version>(.+)</tutti.version>")).isEqualTo(version());
        assertThat(first(pom, "(?s)<parent>.*?<version>(.+?)</version>"))
                .isEqualTo(first(
                        Files.readString(Checkout.ROOT.resolve("pom.xml")),
                        "<spring.boot.version>(.+)</spring.boot.version>"));
        install();
        Path project = WHERE.resolve("project");
        copy(PROJECT, project);
        ProcessOutcome outcome = Command.of(
                        Checkout.ROOT.resolve("mvnw").toString(),
                        "-B",
                        "-q",
                        "-f",
                        project.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + REPOSITORY,
                        "-Dmaven.repo.local.tail=" + Path.of(System.getProperty("user.home"), ".m2/repository"),
                        "package")
                .start()
                .await(600);
        assertThat(outcome.code()).as("%s", outcome).isZero();
        return project.resolve("target/prices.jar");
    }

    /// Copies the poms and jars of this build to the places where `mvn install` would copy them.
    private static void install() throws IOException {
        install("tutti-parent", Checkout.ROOT, null);
        for (String module : Checkout.modules()) {
            Path folder = Checkout.module(module);
            Path jar = Checkout.CLASS_PATH.stream()
                    .map(Path::of)
                    .filter(entry -> entry.getFileName().toString().matches(module + "-[0-9].*"))
                    .findFirst()
                    .orElse(null);
            install(module, folder, jar);
        }
    }

    private static void install(String artifact, Path folder, @Nullable Path jar) throws IOException {
        Path to = Files.createDirectories(REPOSITORY.resolve("org/tutti").resolve(artifact, version()));
        String name = artifact + "-" + version();
        Files.copy(folder.resolve("pom.xml"), to.resolve(name + ".pom"));
        if (jar != null) {
            Files.copy(jar, to.resolve(name + ".jar"));
        } else if (artifact.equals("tutti")) { // without classes
            try (var empty = new JarOutputStream(Files.newOutputStream(to.resolve(name + ".jar")))) {
                empty.putNextEntry(new ZipEntry("META-INF/"));
            }
        }
    }

    private static String version() throws IOException {
        return first(Files.readString(Checkout.module("tutti-bom").resolve("pom.xml")), "<version>(.+)</version>");
    }

    private static String first(String text, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as("%s in %s", pattern, text).isTrue();
        return found.group(1);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) throws IOException {
                if (dir.endsWith("target")) return FileVisitResult.SKIP_SUBTREE;
                Files.createDirectories(to.resolve(from.relativize(dir)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
