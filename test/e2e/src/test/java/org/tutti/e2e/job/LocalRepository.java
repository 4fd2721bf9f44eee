package org.tutti.e2e.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A local Maven repository with the modules of this build, as `install` creates it, and with the third-party
/// libraries of the user's repository. All test classes of a JVM share it.
public final class LocalRepository {
    /// The group id as a path of a Maven repository.
    private static final String GROUP = "org/tutti";

    /// Flags for Maven, which runs only for seconds, so that C2 compilation does not pay off.
    private static final String MAVEN_FLAGS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private static @Nullable Path path;

    private LocalRepository() {}

    private static synchronized Path path() throws IOException {
        if (path != null) return path;
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        Path repository = withoutTutti(Checkout.scratch("m2"));
        install(repository, "tutti-parent", Checkout.ROOT);
        for (String module : Checkout.modules()) install(repository, module, Checkout.module(module));
        path = repository;
        return repository;
    }

    private static void install(Path repository, String artifact, Path folder) throws IOException {
        String name = artifact + "-" + version();
        Path to = Files.createDirectories(repository.resolve(GROUP).resolve(artifact, version()));
        Files.copy(folder.resolve("pom.xml"), to.resolve(name + ".pom"));
        if (folder.equals(Checkout.ROOT) || !Files.isDirectory(Checkout.build(artifact))) return;
        try (Stream<Path> files = Files.walk(Checkout.build(artifact), 2)) {
            for (Path jar : files.filter(f -> f.endsWith(name + ".jar")).toList())
                Files.copy(jar, to.resolve(jar.getFileName()));
        }
    }

    /// Returns the version of Tutti.
    public static String version() throws IOException {
        Matcher version = Pattern.compile("<version>(.+)</version>")
                .matcher(Files.readString(Checkout.module("tutti-bom").resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /// Fills the directory with links to the user's repository, except for Tutti: an installed version would
    /// hide the tested version. A library that is downloaded through a link remains in the user's repository
    /// for later builds.
    public static Path withoutTutti(Path links) throws IOException {
        Path from = Path.of(System.getProperty("user.home"), ".m2/repository"), to = links;
        for (Path part : Path.of(GROUP)) {
            Files.createDirectories(to);
            try (Stream<Path> files = Files.list(from)) {
                for (Path file : files.filter(f -> !f.endsWith(part)).toList()) {
                    Path link = to.resolve(file.getFileName());
                    if (Files.notExists(link, LinkOption.NOFOLLOW_LINKS)) Files.createSymbolicLink(link, file);
                }
            }
            from = from.resolve(part);
            to = to.resolve(part);
            if (Files.notExists(from)) break;
        }
        return links;
    }

    /// Builds a project of a user.
    public static ProcessOutcome build(Path pom, String... arguments) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                Checkout.ROOT.resolve("mvnw").toString(), "-B", "-f", pom.toString(), "-Dmaven.repo.local=" + path()));
        line.addAll(List.of(arguments));
        ProcessOutcome ended =
                Command.of(line).env("MAVEN_OPTS", MAVEN_FLAGS).start().await(600);
        assertThat(ended.code()).as("%s", ended).isZero();
        return ended;
    }
}
