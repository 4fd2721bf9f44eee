package org.tutti.e2e.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Tests the two hosts, with and without Slurm, but without Tutti.
class TwoHostsTest {
    private static ProcessOutcome sh(TwoHosts hosts, String line) throws Exception {
        ProcessOutcome outcome = Command.of("sh", "-c", line).in(hosts).run();
        assertThat(outcome.code()).as("%s", outcome).isZero();
        return outcome;
    }

    @Test
    void hostsAreIsolated() throws Exception {
        try (TwoHosts hosts = TwoHosts.start()) {
            String there = "$OMPI_MCA_plm_rsh_agent -x b ";
            assertThat(sh(hosts, "uname -n; " + there + "uname -n").out()).isEqualTo("a\nb\n");
            String content = "ls /tmp /dev/shm | grep mine || echo none";
            String files = "touch /tmp/mine /dev/shm/mine; " + content + "; " + there + "'" + content + "'";
            assertThat(sh(hosts, files).out()).isEqualTo("mine\nmine\nnone\n");
            assertThat(hosts.newFiles()).containsExactly("a:/dev/shm/mine", "a:/tmp/mine");
            assertThat(sh(hosts, there + "'ls /sys/class/net; cat /proc/1/comm; echo $PWD $OMPI_MCA_plm_rsh_agent'")
                            .out())
                    .isEqualTo("lo\nveth0\nbash\n" + System.getProperty("user.home") + "\n");
        }
    }

    @Test
    void closeKillsAllProcesses() throws Exception {
        Child there;
        try (TwoHosts hosts = TwoHosts.start()) {
            there = Command.of("sh", "-c", "$OMPI_MCA_plm_rsh_agent b 'echo ready 0 $$; exec sleep 1000' & sleep 1000")
                    .in(hosts)
                    .start();
            long pid = hosts.outerPid(there.awaitReady(1).get(0));
            assertThat(hosts.isOnOther(pid)).isTrue();
            assertThat(hosts.isOnOther(TwoHosts.pid(there))).isFalse();
        }
        assertThat(there.awaitCode()).isEqualTo(137);
        assertThat(Processes.awaitNone(15)).isEmpty();
    }

    @Test
    void mpirunReachesOtherHostWithoutOptions() throws Exception {
        try (TwoHosts hosts = TwoHosts.start()) {
            for (Way way : Way.natives()) {
                way.require();
                String option = way == Way.OPEN_MPI ? "-H" : "-hosts";
                // hydra dies of SIGPIPE if stdin ends at the same time as rank 0, which reads that input; so
                // rank 0 reads it first
                String program = "[ ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} != 0 ] || cat >/dev/null; uname -n";
                ProcessOutcome outcome = Command.of(way.launcher(), option, "a:1,b:2", "sh", "-c", program)
                        .in(hosts)
                        .run();
                assertThat(outcome.sortedOut()).as("%s", outcome).containsExactly("a", "b", "b");
            }
            assertThat(hosts.newFiles()).isEmpty();
        }
    }

    @Test
    void slurmStartsTasksOnTwoHosts() throws Exception {
        try (Slurm slurm = Slurm.start()) {
            String task = "echo $SLURM_PROCID on $(uname -n)";
            ProcessOutcome outcome = Command.of("srun", "-N2", "--ntasks-per-node=2", "sh", "-c", task)
                    .in(Path.of("/"))
                    .in(slurm)
                    .run();
            assertThat(outcome.sortedOut()).as("%s", outcome).containsExactly("0 on a", "1 on a", "2 on b", "3 on b");
        }
    }
}
