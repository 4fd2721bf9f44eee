package org.tutti.launch.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The part of the launcher's class path that ranks get, and the order.
class JarsTest {
    private static List<String> own(String... entries) {
        return Jars.of(String.join(":", entries), null).tutti();
    }

    private static List<String> libraries(String... entries) {
        return Jars.of(String.join(":", entries), null).libraries();
    }

    private static final String[] INSTALLED = {
        "/t/lib/tutti-mpi-0.1.0.jar",
        "/t/lib/picocli-4.7.7.jar",
        "/t/lib/tutti-cli-0.1.0.jar",
        "/t/lib/jackson-core-2.22.0.jar",
        "/t/lib/tutti-launch-0.1.0.jar"
    };

    @Test
    void theCommandLineIsLeftOut() {
        assertThat(own(INSTALLED)).containsExactly("/t/lib/tutti-launch-0.1.0.jar", "/t/lib/tutti-mpi-0.1.0.jar");
        assertThat(own("/t/tools/cli/target/classes", "/t/tools/launch/target/classes"))
                .containsExactly("/t/tools/launch/target/classes");
    }

    @Test
    void allModulesMayBeOneJar() {
        String all = "/t/lib/tutti-all-0.1.0.jar";
        assertThat(own(INSTALLED[2], INSTALLED[1], all)).containsExactly(all);
    }

    @Test
    void separatesThirdPartyLibraries() {
        assertThat(libraries(INSTALLED)).containsExactly("/t/lib/jackson-core-2.22.0.jar");
    }

    /// A program that uses the launcher as a library.
    @Test
    void aUsersOwnJarWithASimilarNameStays() {
        String[] theirs = {"/home/ada/tutti-client.jar", "/home/ada/tutti-cli-tools-2.jar", "/home/ada/picocli-9.jar"};
        String[] all = {
            theirs[0], theirs[1], theirs[2], "/home/ada/tutti-client/build/classes", INSTALLED[2], INSTALLED[4]
        };
        List<String> kept = new ArrayList<>(own(all));
        kept.addAll(libraries(all));
        assertThat(kept)
                .contains(theirs)
                .contains("/home/ada/tutti-client/build/classes")
                .doesNotContain(INSTALLED[2]);
    }
}
