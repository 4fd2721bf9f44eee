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

/// Other users of the machine have no access: there are no open ports, no file names and no permissions. A full
/// /dev/shm causes an error instead of a crash.
class SecurityTest extends JobTest {
    private static final String PLAIN = "-Dtutti.door=plain";
    private static final String OTHER_UID = "65534";

    private static Child waiting(boolean plain) {
        List<String> options = plain ? List.of("--stall", "0", "--jvm", PLAIN) : List.of("--stall", "0");
        List<String> flags = plain ? List.of(PLAIN) : List.of("--enable-native-access=ALL-UNNAMED");
        return Command.launcher(flags, Command.arguments(Way.SHM, 3, options, "Waits", "recv"))
                .start();
    }

    private static void end(Child job) throws Exception {
        Processes.signal("TERM", job.pid());
        assertThat(job.await().code()).isEqualTo(143);
    }

    /// Returns the modes to test: whether ranks run without native access.
    private static List<Boolean> plainModes() {
        return Tier.FULL ? List.of(false, true) : List.of(false);
    }

    @ParameterizedTest
    @MethodSource("plainModes")
    void opensNoPort(boolean plain) throws Exception {
        Child job = waiting(plain);
        Map<Integer, Long> ranks = job.awaitReady(3);
        assertThat(Processes.ownsInternetSocket(job.pid())).isFalse();
        for (long rank : ranks.values())
            assertThat(Processes.ownsInternetSocket(rank)).isFalse();
        end(job);
    }

    @ParameterizedTest
    @MethodSource("plainModes")
    void anotherUserCannotAttach(boolean plain) throws Exception {
        Way.need(
                "root".equals(System.getProperty("user.name")) && Way.isOnPath("setpriv"),
                "running as a second user requires root and setpriv");
        Set<String> before = Sandbox.common().content();
        Child job = waiting(plain);
        Map<Integer, Long> ranks = job.awaitReady(3);
        List<String> files = new ArrayList<>();
        for (long pid : List.of(job.pid(), ranks.get(0))) {
            for (String descriptor : Processes.descriptors(pid)) {
                String[] parts = descriptor.split(" ", 2);
                boolean shared = parts[1].startsWith("/memfd:tutti") || parts[1].startsWith("/dev/shm/tutti");
                if (shared) files.add("/proc/" + pid + "/fd/" + parts[0]);
            }
        }
        assertThat(files).as("descriptors of the job's memory").isNotEmpty();
        for (String file : files) {
            assertThat(head(file).code()).as("the same user reads %s", file).isZero();
            ProcessOutcome other = asOtherUser("head", "-c", "8", file);
            assertThat(other.code()).as("%s", other).isNotZero();
            assertThat(other.out()).isEmpty();
            ProcessOutcome writer = asOtherUser("sh", "-c", "echo x >> " + file);
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

    private static ProcessOutcome asOtherUser(String... arguments) throws Exception {
        List<String> line =
                new ArrayList<>(List.of("setpriv", "--reuid", OTHER_UID, "--regid", OTHER_UID, "--clear-groups"));
        line.addAll(List.of(arguments));
        return Command.of(line).run();
    }

    /// /dev/shm has space for the status page, but not for the messages.
    @Test
    void fullDevShmIsReported() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("128k")) {
            Set<String> before = full.content();
            List<String> arguments = Command.arguments(Way.SHM, 4, List.of("--jvm", PLAIN), "Scale");
            ProcessOutcome outcome =
                    Command.launcher(List.of(PLAIN), arguments).in(full).run();
            assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
            assertThat(outcome.lastErrorLine())
                    .as("%s", outcome)
                    .contains("failed first")
                    .contains("bytes of shared memory");
            assertThat(full.content()).isEqualTo(before);
        }
    }

    /// /dev/shm has no space for the status page.
    @Test
    @Tag("ci")
    void devShmFullAtStartIsReportedInOneLine() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("16k")) {
            Set<String> before = full.content();
            List<String> arguments = Command.arguments(Way.SHM, 4, List.of("--jvm", PLAIN), "Scale");
            ProcessOutcome outcome =
                    Command.launcher(List.of(PLAIN), arguments).in(full).run();
            assertThat(outcome.code()).as("%s", outcome).isEqualTo(1);
            assertThat(outcome.err()).as("%s", outcome).hasLineCount(1).startsWith("tutti: no space for ");
            assertThat(full.content()).isEqualTo(before);
        }
    }

    @Test
    void fullDevShmDoesNotMatterWithMemfd() throws Exception {
        try (Sandbox full = Sandbox.withSharedMemory("16k")) {
            ProcessOutcome outcome =
                    Command.program(Way.SHM, 4, List.of(), "Scale").in(full).run();
            assertThat(outcome.code()).as("%s", outcome).isZero();
            assertThat(outcome.out()).isEqualTo("well done by 4\n");
        }
    }
}
