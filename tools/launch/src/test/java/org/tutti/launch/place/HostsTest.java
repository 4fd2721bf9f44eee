package org.tutti.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.environment.Host;
import org.tutti.launch.machine.HostResources;
import org.tutti.launch.run.Run;
import org.tutti.launch.run.RunBuilder;

class HostsTest {
    @TempDir
    Path directory;

    private Hosts file(String... lines) throws Exception {
        return Hosts.ofFile(Files.write(directory.resolve("hosts"), List.of(lines)));
    }

    private static Run run(String hosts) {
        return Run.of("A.java", List.of()).hosts(hosts).build();
    }

    @Test
    void countsTheSlotsOfThisMachine() throws Exception {
        assertThat(Hosts.of("localhost:4").slots()).isEqualTo(4);
        assertThat(Hosts.of("localhost,127.0.0.1:2," + Host.name()).slots()).isEqualTo(4);
        assertThat(Hosts.of("::1:3,::1").slots()).isEqualTo(4);
        assertThat(Hosts.of("localhost:*").slots()).isEqualTo(HostResources.cores());
        assertThat(file("# ours", "localhost slots=3 max_slots=9", "127.0.0.1:2")
                        .slots())
                .isEqualTo(5);
        assertThat(file("localhost").slots()).isEqualTo(HostResources.cores());
    }

    @Test
    void recognizesOtherHosts() throws Exception {
        assertThat(Hosts.of("localhost:2").elsewhere()).isFalse();
        assertThat(Hosts.of("localhost,node7:2").elsewhere()).isTrue();
        assertThat(file("node7 slots=2", "node8:3").list()).isEqualTo("node7:2,node8:3");
    }

    @Test
    void dealsRanksOutToHosts() {
        Hosts hosts = Hosts.of("a:3,b,c:2");
        assertThat(hosts.eachRank(5)).isEqualTo("a,a,a,b,c");
        assertThat(hosts.eachRank(8)).isEqualTo("a,a,a,b,c,c,a,a");
        assertThat(hosts.inTurn()).isNull();
        assertThat(Hosts.of("a:2,b:2").inTurn()).isEqualTo("a,b");
        assertThat(Hosts.of("a,b,a").inTurn()).isNull();
        assertThat(hosts.used(3)).isEqualTo(1);
        assertThat(hosts.used(6)).isEqualTo(3);
        assertThat(hosts.mostOnOne(2)).isEqualTo(2);
        assertThat(hosts.mostOnOne(6)).isEqualTo(3);
        assertThat(hosts.mostOnOne(7)).isEqualTo(6);
    }

    @Test
    void otherHostsNeedANativeLibrary() {
        assertThat(run("localhost:2").engine().name()).isEqualTo("shm");
        assertThat(run("localhost,node7:2").engine().name()).isEqualTo("libmpi");
        assertThatThrownBy(() -> Run.of("A.java", List.of())
                        .hosts("node7:2")
                        .engine("shm")
                        .build())
                .hasMessage("--engine shm: -H node7:2 names other machines than this (" + Host.name()
                        + "); shared memory is for Java programs on one machine, without an MPI library; leave out"
                        + " --engine shm");
    }

    @Test
    void startsAsManyRanksAsThereAreSlots() {
        assertThat(run("localhost:3").size()).isEqualTo(3);
        assertThat(run("localhost").size()).isEqualTo(1);
    }

    @Test
    void refusesMoreRanksThanSlotsUnlessThatIsWanted() {
        RunBuilder three = Run.of("A.java", List.of()).size(3).hosts("localhost:2");
        assertThatThrownBy(three::build)
                .hasMessage("-n 3: -H localhost:2 are 2 slots; start fewer ranks, give more slots (localhost:3), or add"
                        + " --oversubscribe");
        three.binding(new Binding(null, null, null, null, true, false));
        assertThat(three.build().size()).isEqualTo(3);
    }

    @Test
    void explainsInvalidHosts() {
        assertThatThrownBy(() -> file("localhost", "node7"))
                .hasMessage("--hostfile " + directory.resolve("hosts")
                        + ", line 2: the number of slots of node7 is missing; write node7 slots=4");
        assertThatThrownBy(() -> Hosts.of("localhost,-x:2"))
                .hasMessage("-H localhost,-x:2: -x is not a host name; hosts look like localhost, node7 or 10.0.0.7");
        assertThatThrownBy(() -> Hosts.of("node7:*"))
                .hasMessage("-H node7:*: slots are a whole number from 1, as in -H node7:4, not *");
        assertThatThrownBy(() -> Hosts.of("localhost:x"))
                .hasMessage("-H localhost:x: slots are a whole number from 1, as in -H localhost:4, not x");
        String addresses = " is an IPv6 address, which no launcher accepts in a list of hosts; give the host's name";
        assertThatThrownBy(() -> Hosts.of("fd00::7")).hasMessage("-H fd00::7: fd00::7" + addresses);
        assertThatThrownBy(() -> Hosts.of("a,fd00::7:4")).hasMessage("-H a,fd00::7:4: fd00::7:4" + addresses);
        assertThatThrownBy(() -> Hosts.of("[fd00::7]:4")).hasMessage("-H [fd00::7]:4: [fd00::7]:4" + addresses);
        assertThatThrownBy(() -> Hosts.of("fe80::1%eth0")).hasMessage("-H fe80::1%eth0: fe80::1%eth0" + addresses);
        assertThatThrownBy(() -> file("localhost", "fd00::7 slots=4"))
                .hasMessage("--hostfile " + directory.resolve("hosts") + ", line 2: fd00::7" + addresses);
        assertThatThrownBy(() -> Hosts.of("")).hasMessage("-H : a host's name is missing, as in -H localhost:4");
        assertThatThrownBy(() -> file("localhost cores=2"))
                .hasMessageEndingWith("cores=2: lines look like localhost slots=4");
        assertThatThrownBy(() -> Hosts.ofFile(directory.resolve("none")))
                .hasMessage("--hostfile " + directory.resolve("none") + ": the file does not exist");
    }
}
