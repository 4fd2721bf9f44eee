package org.tutti.e2e.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;

/// Every module is either published and in the bom, or declares that it is not published.
class PublishingTest {
    private static final String BOM = "packaging/bom";

    @Test
    void theBomListsEveryPublishedModule() throws IOException {
        Set<String> published = new TreeSet<>();
        for (String module : found(pom("."), "<module>([^<]+)</module>")) {
            String pom = pom(module);
            if (module.equals(BOM) || pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")) continue;
            published.add(artifact(pom));
        }
        Set<String> managed =
                new TreeSet<>(found(pom(BOM).split("<dependencyManagement>")[1], "<artifactId>(tutti[a-z-]*)<"));
        assertThat(managed).isEqualTo(published);
    }

    @Test
    void everyPomHasTheRequiredMetadata() throws IOException {
        assertThat(pom(BOM)).contains("<url>", "<license>", "<developer>", "<scm ", "<connection>");
        for (String module : found(pom("."), "<module>([^<]+)</module>")) {
            assertThat(pom(module)).as(module).contains("<name>", "<description>");
        }
    }

    private static String artifact(String pom) {
        return found(pom.replaceFirst("(?s)<parent>.*</parent>", ""), "<artifactId>([^<]+)</artifactId>")
                .getFirst();
    }

    private static String pom(String module) throws IOException {
        Path path = Checkout.ROOT.resolve(module);
        return Files.readString(Files.isDirectory(path) ? path.resolve("pom.xml") : path);
    }

    private static List<String> found(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(m -> m.group(1))
                .toList();
    }
}
