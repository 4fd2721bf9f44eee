package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Sandbox;
import org.tutti.e2e.job.Tier;
import org.tutti.e2e.job.Way;

/// No other user of the machine gets access: no open port, no file name, no permission. A full /dev/shm causes
/// an error instead of a crash.
class SecurityTest extends JobTest {
    private static final String PLAIN = "-Dtutti.door=plain";
    private static final String NOBODY = "65534";

    private static Child waiting(boolean plain) {
        List<String> options = plain ? List.of("--stall", "0", "--jvm", PLAIN) : List.of("--stall", "0");
        List<String> flags = plain ? List.of(PLAIN) : List.of("--enable-native-access=ALL-UNNAMED");
        return Command.launcher(flags, Command.words(Way.SHM, 3, options, "Waits", "recv"))
                .start();
    }

    private static void end(Child job) throws Exception {
        Processes.signal("TERM", job.pid());
        assertThat(job.await().code()).isEqualTo(143);
    }

    /// Whether the ranks run without native access.
    private static List<Boolean> doors() {
        return Tier.FULL ? List.of(false, true) : List.of(false);
    }

    @ParameterizedTest
    @MethodSource("doors")
    void opensNoPort(boolean plain) throws Exception {
        Child job = waiting(plain);
        Map<Integer, Long> ranks = job.awaitReady(3);
        assertThat(Processes.ownsInternetSocket(job.pid())).isFalse();
        for (long rank : ranks.values())
            assertThat(Processes.ownsInternetSocket(rank)).isFalse();
        end(job);
    }

    @ParameterizedTest
    @MethodSource("doors")
    void anotherUserCannotAttach(boolean plain) throws Exception {
        Way.need(
                "root".equals(System.getProperty("user.name")) && Way.isOnPath("setpriv"),
                "running as another user requires root and setpriv");
        Set<String> before = Sandbox.common().content();
        Child job = waiting(plain);
        Map<Integer, Long> ranks = job.awaitReady(3);
        List<String> files = new ArrayList<>();
        for (long pid : List.of(job.pid(), ranks.get(0))) {
            for (String descriptor : Processes.descriptors(pid)) {
                String[] words = descriptor.split(" ", 2);
                boolean shared = words[1].startsWith("/memfd:tutti") || words[1].startsWith("/dev/shm/tutti");
                if (shared) files.add("/proc/" + pid + "/fd/" + words[0]);
            }
        }
        assertThat(files).as("descriptors of the job's memory").isNotEmpty();
        for (String file : files) {
            assertThat(head(file).code()).as("the same user reads %s", file).isZero();
            ProcessOutcome other = asNobody("head", "-c", "8", file);
            assertThat(other.code()).as("%s", other).isNotZero();
            assertThat(other.out()).isEmpty();
            ProcessOutcome writer = asNobody("sh", "-c", "echo x >> " + file);
            assertThat(writer.code()).as("%s", writer).isNotZero();
        }
        Set<String> names = new TreeSet<>(Sandbox.common().content());
        names.removeAll(before);
        assertThat(names).as("names of shared memory").isEmpty();
        end(job);
    }

    private static ProcessOutcome head(String file) throws Exception {
        return Command.of("head", "-c", "8", file).run();
    }

    private static ProcessOutcome asNobody(String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
        line.addAll(List.of(words));
        return Command.of(line).run();
    }

    /// /dev/shm has space for the status page, but not for messages.
    @Test
    void aFullDevShmIsOneClearMessage() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("128k")) {
            Set<String> before = full.content();
            List<String> words = Command.words(Way.SHM, 4, List.of("--jvm", PLAIN), "Scale");
            ProcessOutcome ended =
                    Command.launcher(List.of(PLAIN), words).in(full).run();
            assertThat(ended.code()).as("%s", ended).isEqualTo(1);
            assertThat(ended.lastWords())
                    .as("%s", ended)
                    .contains("failed first")
                    .contains("bytes of shared memory");
            assertThat(full.content()).isEqualTo(before);
        }
    }

    /// /dev/shm has no space for the status page.
    @Test
    @Tag("ci")
    void aDevShmThatIsFullFromTheStartIsOneClearMessage() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("16k")) {
            Set<String> before = full.content();
            List<String> words = Command.words(Way.SHM, 4, List.of("--jvm", PLAIN), "Scale");
            ProcessOutcome ended =
                    Command.launcher(List.of(PLAIN), words).in(full).run();
            assertThat(ended.code()).as("%s", ended).isEqualTo(1);
            assertThat(ended.err()).as("%s", ended).hasLineCount(1).startsWith("tutti: no space for ");
            assertThat(full.content()).isEqualTo(before);
        }
    }

    @Test
    void aFullDevShmDoesNotMatterWhereMemfdExists() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("16k")) {
            ProcessOutcome ended =
                    Command.program(Way.SHM, 4, List.of(), "Scale").in(full).run();
            assertThat(ended.code()).as("%s", ended).isZero();
            assertThat(ended.out()).isEqualTo("well done by 4\n");
        }
    }
}
