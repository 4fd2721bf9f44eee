package org.tutti.testkit.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Child;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.JobTest;
import org.tutti.testkit.job.Way;

/// When `./tutti` builds, with a Maven and a Java that only say that they were called.
class FirstBuildTest extends JobTest {
    private static final String MAVEN = """
            #!/bin/sh
            echo build >>builds
            sleep 1
            mkdir -p tutti-cli/target/lib
            : >tutti-cli/target/lib/tutti-all-1.jar
            """;
    private static final String JAVA = """
            #!/bin/sh
            [ -d "$(dirname "$0")/../tutti-cli/target/lib" ] || exit 9
            for word; do
                last=$word
                case $word in -XX:AOTCacheOutput=*) echo cache >>caches && : >"${word#*=}" ;; esac
            done
            echo "java $last"
            """;

    private Path home;

    @BeforeEach
    void lookLikeANewCheckout() throws IOException {
        home = Checkout.scratch("checkout");
        Files.createDirectories(home.resolve("tutti-cli/src/main"));
        Files.createDirectories(home.resolve(".mvn"));
        Files.createDirectories(home.resolve("bin"));
        Files.copy(Checkout.ROOT.resolve("tutti"), home.resolve("tutti"));
        Files.writeString(home.resolve("pom.xml"), "");
        Files.writeString(home.resolve("tutti-cli/pom.xml"), "");
        Files.writeString(home.resolve(".mvn/find-jdk.sh"), "tutti_find_jdk() { JAVA_HOME=$home; }\n");
        script("mvnw", MAVEN);
        script("bin/java", JAVA);
    }

    private void script(String name, String text) throws IOException {
        Path file = home.resolve(name);
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(home.resolve("builds"));
    }

    @Test
    void manyAtOnceBuildOnce() throws Exception {
        Way.need(Way.isOnPath("flock"), "flock is not installed");
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < 4; i++)
            children.add(Command.of("./tutti", "word" + i).in(home).start());
        for (int i = 0; i < 4; i++) {
            Ended ended = children.get(i).await();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).isEqualTo("java word" + i + "\n");
        }
        assertThat(builds()).hasSize(1);
    }

    @Test
    void whatIsBuiltIsBuiltAgainOnlyWhenASourceIsNewer() throws Exception {
        Ended first = Command.of("./tutti", "one").in(home).run();
        assertThat(first.err()).isEqualTo("tutti: building Tutti, once (it was not built yet)\n");
        Ended second = Command.of("./tutti", "two").in(home).run();
        assertThat(second.out() + second.err()).isEqualTo("java two\n");
        Thread.sleep(20); // the time stamps of some file systems are coarse
        Files.writeString(home.resolve("tutti-cli/src/main/New.java"), "");
        Ended third = Command.of("./tutti", "three").in(home).run();
        assertThat(third.err()).isEqualTo("tutti: building Tutti, once (a source is newer)\n");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void aCacheThatDoesNotFitTheJarsIsMadeAgain() throws Exception {
        assertThat(Command.of("./tutti", "one").in(home).run().out()).isEqualTo("java one\n");
        Path cache = home.resolve("tutti-cli/target/tutti.aot");
        Files.setLastModifiedTime(cache, FileTime.fromMillis(0)); // as if Maven had been called by hand since
        for (String word : List.of("two", "three")) {
            Ended ended = Command.of("./tutti", word).in(home).run();
            assertThat(ended.out() + ended.err()).isEqualTo("java " + word + "\n");
        }
        assertThat(builds()).hasSize(1);
        assertThat(Files.readAllLines(home.resolve("caches"))).hasSize(2);
    }

    @Test
    void aBuildThatFailsIsTriedAgain() throws Exception {
        script("mvnw", "#!/bin/sh\necho no >&2\nexit 1\n");
        Ended failed = Command.of("./tutti", "one").in(home).run();
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.lastWords()).isEqualTo("tutti: the build failed; see above");
        script("mvnw", MAVEN);
        Ended again = Command.of("./tutti", "two").in(home).run();
        assertThat(again.out()).as("%s", again).isEqualTo("java two\n");
    }

    @Test
    void aDownloadIsAnnouncedAndAMissingNetworkIsOneSentence() throws Exception {
        script(
                "mvnw",
                "#!/bin/sh\necho '[ERROR] Could not transfer artifact a:b:1 from/to central: Unknown host' >&2\nexit 1\n");
        Command offline = Command.of("./tutti", "run", "--with", "torch", "A.java")
                .in(home)
                .env("HOME", home.toString());
        String log = home.resolve("tutti-cli/target/built.log").toString();
        assertThat(offline.run().err())
                .isEqualTo("tutti: building Tutti, once (it was not built yet)\n"
                        + "tutti: downloading libtorch (108 MiB), once, from Maven Central\n"
                        + "tutti: libtorch (108 MiB) cannot be downloaded: Maven Central cannot be reached; connect to the"
                        + " network, or set a mirror in ~/.m2/settings.xml (" + log + ")\n");
        script("mvnw", "#!/bin/sh\necho '[ERROR] A.java: ; expected' >&2\nexit 1\n");
        assertThat(offline.run().err()).endsWith("[ERROR] A.java: ; expected\ntutti: the build failed; see above\n");
        Path there = home.resolve(".m2/repository/org/bytedeco/pytorch/2.10/pytorch-linux-x86_64.jar");
        Files.createDirectories(there.getParent());
        Files.write(there, new byte[11_000_000]);
        assertThat(offline.run().err()).doesNotContain("downloading");
    }
}
