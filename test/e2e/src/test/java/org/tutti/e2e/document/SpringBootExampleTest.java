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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.LocalRepository;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;

/// The project examples/spring-boot, built by Maven with the jars of this build, and started as by a user.
@Tag("ci")
class SpringBootExampleTest extends JobTest {
    private static final Path PROJECT = Checkout.ROOT.resolve("examples/spring-boot");
    private static final Path WHERE = Checkout.scratch("spring-boot");

    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    @Test
    void requestsAreAnsweredWhileWorkersDie() throws Exception {
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
        assertThat(Double.parseDouble(get("/price/100"))).isBetween(7.9, 8.05); // 7.97 by the Black-Scholes formula
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
        assertThat(first(pom, "<tutti.version>(.+)</tutti.version>")).isEqualTo(LocalRepository.version());
        assertThat(first(pom, "(?s)<parent>.*?<version>(.+?)</version>"))
                .isEqualTo(first(
                        Files.readString(Checkout.ROOT.resolve("pom.xml")),
                        "<spring.boot.version>(.+)</spring.boot.version>"));
        Path project = WHERE.resolve("project");
        copy(PROJECT, project);
        LocalRepository.build(project.resolve("pom.xml"), "-q", "package");
        return project.resolve("target/prices.jar");
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
