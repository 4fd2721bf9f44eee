package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;
import org.tutti.e2e.job.Way;

/// Two jobs of one user, each over any engine, connect through a port.
class PortTest extends JobTest {
    /// Returns a unique service name.
    private static String service() {
        return "port-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    }

    private static Command side(Way way, int ranks, String... arguments) {
        List<String> program = new ArrayList<>(List.of("Ports"));
        program.addAll(List.of(arguments));
        return Command.program(way, ranks, List.of(), program.toArray(String[]::new));
    }

    private static void assertSuccess(ProcessOutcome outcome, String out) {
        assertThat(outcome.code()).as("%s", outcome).isZero();
        assertThat(outcome.err()).as("%s", outcome).isEmpty();
        assertThat(outcome.out()).endsWith(out);
    }

    private static void assertConnect(Way server, int servers, Way client, int clients) throws Exception {
        String service = service();
        Child serves = side(server, servers, "serve", service, "all", "2").start();
        assertSuccess(
                side(client, clients, "connect", service, "all", "2").run(),
                ("connected with " + servers + "\n").repeat(2));
        assertSuccess(serves.await(), ("served " + clients + "\n").repeat(2));
    }

    @Test
    @Tag("ci")
    void sharedMemoryJobConnectsToLibraryJob() throws Exception {
        assertConnect(Way.SHM, 2, Way.OPEN_MPI, 1);
    }

    @Test
    @Tag("full")
    void jobsOverAnyEnginesConnect() throws Exception {
        List<Way> ways = List.of(Way.SHM, Way.OPEN_MPI, Way.MPICH);
        for (Way server : ways) for (Way client : ways) assertConnect(server, 2, client, 2);
        assertConnect(Way.SHM, 1, Way.SHM, 5);
        assertConnect(Way.SHM, 3, Way.SHM, 2);
        assertConnect(Way.MPICH, 3, Way.OPEN_MPI, 1);
    }

    @Test
    @Tag("full")
    void threadRanksConnectToAnotherJob() throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 1, "serve", service, "all", "1", "3").start();
        assertSuccess(side(Way.SHM, 2, "connect", service, "all", "1").run(), "connected with 3\n");
        assertSuccess(serves.await(), "served 2\n");
    }

    @Test
    void objectsOfTwoJobsCannotBeMixed() throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 1, "serve", service, "mix", "1").start();
        ProcessOutcome outcome =
                side(Way.SHM, 1, "connect", service, "mix", "1").run();
        serves.await();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        List<String> lines = outcome.out().lines().toList();
        assertThat(lines).as("%s", outcome).hasSize(4);
        assertThat(lines.get(0))
                .startsWith("ERR_GROUP union: only one of Group [0] and ")
                .contains(" is of a communicator with a different job; pass groups of the same job");
        assertThat(lines.get(1)).startsWith("ERR_GROUP createFromGroup: this rank, world rank 0, is not in Group [");
        assertThat(lines.get(2))
                .startsWith("ERR_COMM intercomm: only one of WORLD and peer ")
                .contains(" connects this job with a different job;");
        assertThat(lines.get(3))
                .startsWith("ERR_COMM spawn: WORLD.connect1.merge1")
                .contains(" connects this job with a different job; spawn on a communicator of this job");
    }

    /// The job of a client ends, and the job of the server continues and serves the next client.
    @Test
    @Tag("full")
    void deadClientDoesNotStopServer() throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 2, "serve", service, "wait", "2").start();
        ProcessOutcome halted =
                side(Way.SHM, 1, "connect", service, "halt", "1").run();
        assertThat(halted.code()).as("%s", halted).isEqualTo(9);
        ProcessOutcome left = side(Way.SHM, 1, "connect", service, "leave", "1").run();
        assertThat(left.code()).as("%s", left).isZero();
        ProcessOutcome served = serves.await();
        assertThat(served.code()).as("%s", served).isZero();
        for (int rank = 0; rank < 2; rank++) assertDeadRankIsNamed(served, rank, "WORLD.accept1");
    }

    /// Asserts that a wait for the dead rank, or an earlier poll, throws the error.
    private static void assertDeadRankIsNamed(ProcessOutcome outcome, int rank, String where) {
        assertThat(outcome.out().lines())
                .as("%s", outcome)
                .anyMatch(line -> line.startsWith(rank + ": ERR_PROC_FAILED JOB ")
                        && line.contains("rank 0 of the remote group")
                        && line.contains(" ended without Mpi.close")
                        && line.endsWith("(rank " + rank + " of 2 and " + (where.contains("accept") ? "1" : "2")
                                + " remote, " + where + ")"));
    }

    /// Every kind of wait fails, including a poll, and a wait for a rank of the same job that has itself
    /// failed.
    @ParameterizedTest
    @ValueSource(strings = {"disconnect", "waitAny"})
    @Tag("ci")
    void waitsFailWhenRankOfOtherJobDies(String how) throws Exception {
        assertWaitsFail(how);
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"poll", "probe", "all-reduce", "wait"})
    void otherWaitsFailWhenRankOfOtherJobDies(String how) throws Exception {
        assertWaitsFail(how);
    }

    private static void assertWaitsFail(String how) throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 3, "serve", service, how, "1").start();
        ProcessOutcome halted =
                side(Way.SHM, 2, "connect", service, "haltLast", "1").run();
        assertThat(halted.code()).as("%s", halted).isEqualTo(9);
        ProcessOutcome served = serves.await();
        assertThat(served.code()).as("%s", served).isZero();
        for (int rank = 0; rank < 3; rank++) {
            assertThat(served.out()).as("%s", served).contains(rank + ": ERR_PROC_FAILED JOB ");
        }
    }

    @Test
    @Tag("full")
    void deadServerDoesNotStopClient() throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 2, "serve", service, "halt", "1").start();
        ProcessOutcome waited =
                side(Way.SHM, 2, "connect", service, "wait", "1").run();
        assertThat(waited.code()).as("%s", waited).isZero();
        for (int rank = 0; rank < 2; rank++) assertDeadRankIsNamed(waited, rank, "WORLD.connect1");
        assertThat(serves.await().code()).isEqualTo(9);
    }

    /// The server is busy with one client and then dies, while a second client waits for an answer.
    @Test
    @Tag("full")
    void connectToPortOfDeadProcessFails() throws Exception {
        String service = service();
        // accepts one client, and waits forever for a message from this client
        Child serves = side(Way.SHM, 1, "serve", service, "wait", "1").start();
        Child first = side(Way.SHM, 1, "connect", service, "wait", "1").start();
        first.awaitOut("waits");
        String name = serves.outSoFar().lines().findFirst().orElseThrow().substring("open ".length());
        Child second = side(Way.SHM, 1, "connect", name, "wait", "1").start();
        long server = Long.parseLong(name.replaceAll(".*/proc/(\\d+)/.*", "$1"));
        Thread.sleep(1500); // by then, the client certainly waits for an answer
        Processes.signal("KILL", server);
        assertThat(serves.await().code()).isEqualTo(137);
        ProcessOutcome refused = second.await();
        assertThat(refused.code()).as("%s", refused).isZero();
        assertThat(refused.out()).as("%s", refused).startsWith("0: ERR_PORT ARGUMENT connect: ");
        ProcessOutcome waited = first.await();
        assertThat(waited.out()).as("%s", waited).contains("has ended without Mpi.close");
        ProcessOutcome late = side(Way.SHM, 1, "connect", name, "wait", "1").run();
        assertThat(late.out())
                .as("%s", late)
                .startsWith("0: ERR_PORT ARGUMENT connect: no memory of a port at "
                        + name.substring(name.indexOf('@') + 1)
                        + " on this machine; the process that opened the port has ended, has closed it, or runs as a"
                        + " different user");
    }

    @Test
    @Tag("full")
    void manyConnectionsLeaveNoResidue() throws Exception {
        String service = service();
        Child serves = side(Way.SHM, 2, "serve", service, "greet", "100").start();
        assertSuccess(side(Way.SHM, 2, "connect", service, "greet", "100").run(), "greeted 2\n");
        assertSuccess(serves.await(), "greeted 2\n");
    }
}
