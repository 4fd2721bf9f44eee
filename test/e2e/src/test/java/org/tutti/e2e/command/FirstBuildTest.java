package org.tutti.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Way;

/// Tests when `./tutti` starts a build. Maven and Java are replaced by scripts that record the call.
class FirstBuildTest extends JobTest {
    private static final String MAVEN = """
            #!/bin/sh
            echo build >>builds
            for arg; do case $arg in */*) modules=$arg ;; esac; done
            for module in $(echo $modules | tr , ' '); do
                mkdir -p $module/target/lib
                echo "$module $(wc -l <builds)" >$module/target/lib/tutti-all-1.jar
                : >$module/target/lib/other.jar
            done
            """;
    private static final String JAVA = """
            #!/bin/sh
            [ -d "$(dirname "$0")/../tools/cli/target/lib" ] || exit 9
            for arg; do
                last=$arg
                case $arg in -XX:AOTCacheOutput=*) echo cache >>caches && : >"${arg#*=}" ;; esac
            done
            [ "$last" != hold ] || { : >holds; while [ ! -e release ]; do sleep 0.1; done; }
            for arg; do case $arg in -Dtutti.adapters=?*) echo "$arg" ;; esac; done
            [ "$last" != cache ] || for arg; do case $arg in -XX:AOTCache=*) cat "${arg#*=}" && echo used ;; esac; done
            if [ "$last" = cat ]; then
                for arg; do case $arg in -*) ;; */target/run/*) cat "${arg%/\\*}/tutti-all-1.jar" ;; esac; done
            fi
            [ "$last" != locale ] || echo "$LC_ALL"
            echo "java $last"
            """;

    private static final String FIRST =
            "tutti: building Tutti, once (it was not built yet): takes one to three minutes\n";

    private Path home;

    @BeforeEach
    void createCheckout() throws IOException {
        home = Checkout.scratch("checkout").resolve("a folder with blanks");
        Files.createDirectories(home.resolve("tools/cli/src/main"));
        Files.createDirectories(home.resolve(".mvn"));
        Files.createDirectories(home.resolve("bin"));
        Files.copy(Checkout.ROOT.resolve("tutti"), home.resolve("tutti"));
        Files.writeString(home.resolve("pom.xml"), "");
        Files.writeString(home.resolve("tools/cli/pom.xml"), "");
        Files.writeString(home.resolve(".mvn/find-jdk.sh"), "tutti_find_jdk() { JAVA_HOME=$home; }\n");
        script("mvnw", MAVEN);
        script("bin/java", JAVA);
    }

    /// Returns a script that prints `output` and builds for this number of seconds.
    private static String slow(double seconds, String... output) {
        StringBuilder slow = new StringBuilder("#!/bin/sh\n");
        for (String line : output) slow.append("echo '").append(line).append("'\n");
        return slow.append("sleep ").append(seconds).append('\n') + MAVEN.replace("#!/bin/sh\n", "");
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
    void concurrentCommandsBuildOnce() throws Exception {
        Way.need(Way.isOnPath("flock"), "flock is not installed");
        script("mvnw", slow(1));
        List<Child> children = new ArrayList<>();
        for (int i = 0; i < 4; i++)
            children.add(Command.of("./tutti", "arg" + i).in(home).start());
        for (int i = 0; i < 4; i++) {
            ProcessOutcome ended = children.get(i).await();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).isEqualTo("java arg" + i + "\n");
        }
        assertThat(builds()).hasSize(1);
    }

    @Test
    void onlyANewerSourceCausesABuild() throws Exception {
        ProcessOutcome first = tutti("one").run();
        assertThat(first.err()).isEqualTo(FIRST);
        ProcessOutcome second = Command.of("./tutti", "two").in(home).run();
        assertThat(second.out() + second.err()).isEqualTo("java two\n");
        Thread.sleep(20); // the time stamps of some file systems are coarse
        Files.writeString(home.resolve("tools/cli/src/main/New.java"), "");
        ProcessOutcome third = tutti("three").run();
        assertThat(third.err()).isEqualTo("tutti: building Tutti, once (a source is newer)\n");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void aCacheForOtherJarsIsReplaced() throws Exception {
        assertThat(Command.of("./tutti", "one").in(home).run().out()).isEqualTo("java one\n");
        Path jar = home.resolve("tools/cli/target/lib/tutti-all-1.jar");
        Files.writeString(jar, "by hand"); // as if the user had called Maven in the meantime
        Files.setLastModifiedTime(
                jar, FileTime.fromMillis(System.currentTimeMillis() + 50)); // file systems may have coarse clocks
        Thread.sleep(100);
        for (String word : List.of("two", "three")) {
            ProcessOutcome ended = Command.of("./tutti", word).in(home).run();
            assertThat(ended.out() + ended.err()).isEqualTo("java " + word + "\n");
        }
        assertThat(builds()).hasSize(1);
        assertThat(Files.readAllLines(home.resolve("caches"))).hasSize(2);
    }

    @Test
    void theCacheIsUsed() throws Exception {
        ProcessOutcome ended = Command.of("./tutti", "cache").in(home).run();
        assertThat(ended.out()).as("%s", ended).isEqualTo("used\njava cache\n");
    }

    @Test
    void theLocaleHasAllCharacters() throws Exception {
        for (String locale : List.of("C", "POSIX", "")) {
            ProcessOutcome ended = Command.of("./tutti", "locale")
                    .in(home)
                    .env("LC_ALL", locale)
                    .env("LC_CTYPE", "")
                    .env("LANG", "")
                    .run();
            assertThat(ended.out()).as("%s", ended).isEqualTo("C.UTF-8\njava locale\n");
        }
        ProcessOutcome ended = Command.of("./tutti", "locale")
                .in(home)
                .env("LC_ALL", "en_GB.ISO-8859-1")
                .run();
        assertThat(ended.out()).as("%s", ended).isEqualTo("en_GB.ISO-8859-1\njava locale\n");
    }

    @Test
    void switchingBetweenProductsBuildsNothing() throws Exception {
        List<List<String>> commands = List.of(
                List.of("one"),
                List.of("--with", "torch"),
                List.of("--with=djl"),
                List.of("--with", "openmpi-java"),
                List.of("--with", "mpj", "--with", "torch"));
        for (int round = 0; round < 3; round++) {
            for (List<String> arguments : commands) {
                List<String> command = new ArrayList<>(List.of("./tutti"));
                command.addAll(arguments);
                ProcessOutcome ended = Command.of(command).in(home).run();
                assertThat(ended.code()).as("%s", ended).isZero();
                if (round > 0) assertThat(ended.err()).as("%s", ended).isEmpty();
            }
        }
        assertThat(builds()).hasSize(5);
        ProcessOutcome both = Command.of("./tutti", "--with", "mpj", "--with", "torch")
                .in(home)
                .run();
        assertThat(both.out()).contains("-Dtutti.adapters=compat/compat-mpj/lib=1 train/train-torch/lib=1");
    }

    @Test
    void jarsOfARunningJobAreNeverReplaced() throws Exception {
        Way.need(Way.isOnPath("flock"), "flock is not installed");
        Child job = Command.of("./tutti", "hold").in(home).start();
        while (!Files.exists(home.resolve("holds"))) Thread.sleep(10);
        for (int build = 2; build <= 4; build++) {
            Thread.sleep(20);
            Files.writeString(home.resolve("tools/cli/src/main/New.java"), "");
            ProcessOutcome ended = Command.of("./tutti", "cat").in(home).run();
            assertThat(ended.out()).as("%s", ended).isEqualTo("tools/cli " + build + "\njava cat\n");
            assertThat(home.resolve("tools/cli/target/run/1/tutti-all-1.jar")).hasContent("tools/cli 1");
        }
        assertThat(copies()).containsExactly("1", "2"); // a free number is reused
        Files.writeString(home.resolve("release"), "");
        assertThat(job.await().out()).isEqualTo("java hold\n");
        Thread.sleep(20);
        Files.writeString(home.resolve("tools/cli/src/main/New.java"), "");
        Command.of("./tutti", "one").in(home).run();
        assertThat(copies()).hasSize(1);
    }

    private List<String> copies() throws IOException {
        try (var folders = Files.list(home.resolve("tools/cli/target/run"))) {
            return folders.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aFailedBuildIsRepeated() throws Exception {
        script("mvnw", "#!/bin/sh\necho no >&2\nexit 1\n");
        ProcessOutcome failed = tutti("one").run();
        assertThat(failed.code()).isEqualTo(1);
        String log = home.resolve("tools/cli/target/built.log").toString();
        assertThat(failed.err())
                .isEqualTo(FIRST + "no\ntutti: the build failed; see above, or the complete output in " + log + "\n");
        script("mvnw", MAVEN);
        ProcessOutcome again = Command.of("./tutti", "two").in(home).run();
        assertThat(again.out()).as("%s", again).isEqualTo("java two\n");
    }

    @Test
    void downloadsAreAnnouncedAndAMissingNetworkIsNamed() throws Exception {
        script(
                "mvnw",
                "#!/bin/sh\necho '[ERROR] Could not transfer artifact a:b:1 from/to central: Unknown host' >&2\nexit 1\n");
        Command offline = Command.of("./tutti", "run", "--with", "torch", "A.java")
                .in(home)
                .env("HOME", home.toString());
        String log = home.resolve("tools/cli/target/built.log").toString();
        assertThat(offline.run().err())
                .isEqualTo(
                        "tutti: building Tutti, once (it was not built yet): takes one to three minutes, downloads 80 MB of"
                                + " build tools and libtorch (108 MiB) from Maven Central\n"
                                + "tutti: the build needs files from Maven Central, which cannot be reached; connect to the"
                                + " network, or set a mirror or proxy in ~/.m2/settings.xml (" + log + ")\n");
        Path torch = home.resolve(".m2/repository/org/bytedeco/pytorch/2.10/pytorch-linux-x86_64.jar");
        Files.createDirectories(torch.getParent());
        Files.write(torch, new byte[11_000_000]);
        assertThat(offline.run().err()).contains("downloads 80 MB of build tools from Maven Central\n");
    }

    @Test
    void aBuildErrorIsOneSentence() throws Exception {
        script("mvnw", "#!/bin/sh\necho '[INFO] a'\necho '[ERROR] A.java: unreachable statement'\nexit 1\n");
        String log = home.resolve("tools/cli/target/built.log").toString();
        assertThat(tutti("one").run().err())
                .isEqualTo(FIRST + "[ERROR] A.java: unreachable statement\n"
                        + "tutti: the build failed; see above, or the complete output in " + log + "\n");
        script("mvnw", "#!/bin/sh\necho '[ERROR] x: No space left on device'\nexit 1\n");
        assertThat(tutti("one").run().err())
                .isEqualTo(FIRST + "tutti: the build failed: the disk is full (" + log + ")\n");
    }

    @Test
    void aTerminalShowsTheModuleThatIsBuilt() throws Exception {
        Way.need(Way.isOnPath("script"), "script of util-linux is not installed");
        script("mvnw", slow(2.5, "[INFO] Building Tutti :: os linux 0.1.0 [2/3]"));
        ProcessOutcome ended = Command.of("script", "-qec", "./tutti one", "/dev/null")
                .in(home)
                .env("HOME", warmRepository())
                .env("TERM", "xterm")
                .run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out())
                .as("%s", ended)
                .startsWith(FIRST.replace("\n", "\r\n"))
                .containsPattern("\r\033\\[Ktutti: building: \\[2/3] os linux, [12] s")
                .endsWith("\r\033[Kjava one\r\n");
    }

    /// The clock advances by 5 s with each query, and the script queries it once per second.
    @Test
    void aLongBuildReportsEveryTenSeconds() throws Exception {
        script("date", "#!/bin/sh\necho 5 >>queries\necho $((5 * $(wc -l <queries)))\n");
        script("mvnw", slow(4, "[INFO] Building Tutti :: shm 0.1.0   [5/14]"));
        ProcessOutcome ended =
                tutti("one").env("PATH", home + ":" + System.getenv("PATH")).run();
        assertThat(ended.err())
                .startsWith(FIRST + "tutti: building: [5/14] shm, 10 s\n")
                .doesNotContain(" 5 s", " 15 s");
        assertThat(ended.out()).isEqualTo("java one\n");
    }

    private Command tutti(String word) throws IOException {
        return Command.of("./tutti", word).in(home).env("HOME", warmRepository());
    }

    /// Returns a home directory in which the plugins for the build are already present.
    private String warmRepository() throws IOException {
        Path user = home.resolve("user");
        Files.createDirectories(user.resolve(".m2/repository/org/apache/maven/plugins/maven-assembly-plugin"));
        return user.toString();
    }
}
