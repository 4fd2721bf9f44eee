package org.tutti.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.mpi.bootstrap.Host;

class HostsTest {
    private static final String ELSEWHERE =
            "node7 is not this machine (" + Host.name() + "); several hosts come with the libmpi engine, not there yet";

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
        assertThat(Hosts.of("localhost:*").slots()).isEqualTo(Machine.cores());
        assertThat(file("# ours", "localhost slots=3 max_slots=9", "127.0.0.1:2")
                        .slots())
                .isEqualTo(5);
        assertThat(file("localhost").slots()).isEqualTo(Machine.cores());
    }

    @Test
    void startsAsManyRanksAsThereAreSlots() {
        assertThat(run("localhost:3").size()).isEqualTo(3);
        assertThat(run("localhost").size()).isEqualTo(1);
    }

    @Test
    void refusesMoreRanksThanSlotsUnlessThatIsWanted() {
        Run.Builder three = Run.of("A.java", List.of()).size(3).hosts("localhost:2");
        assertThatThrownBy(three::build)
                .hasMessage("-n 3: -H localhost:2 are 2 slots; start fewer ranks, give more slots (localhost:3), or add"
                        + " --oversubscribe");
        three.binding(new Binding(null, null, null, null, true, false));
        assertThat(three.build().size()).isEqualTo(3);
    }

    @Test
    void explainsWhatItCannotUse() {
        assertThatThrownBy(() -> Hosts.of("localhost,node7:2")).hasMessage("-H localhost,node7:2: " + ELSEWHERE);
        assertThatThrownBy(() -> file("localhost", "node7 slots=2"))
                .hasMessage("--hostfile " + directory.resolve("hosts") + ", line 2: " + ELSEWHERE);
        assertThatThrownBy(() -> Hosts.of("localhost:x"))
                .hasMessage("-H localhost:x: slots are a whole number from 1, as in -H localhost:4, not x");
        assertThatThrownBy(() -> Hosts.of("")).hasMessage("-H : a host's name is missing, as in -H localhost:4");
        assertThatThrownBy(() -> file("localhost cores=2"))
                .hasMessageEndingWith("cores=2: lines look like localhost slots=4");
        assertThatThrownBy(() -> Hosts.ofFile(directory.resolve("none")))
                .hasMessage("--hostfile " + directory.resolve("none") + ": there is no such file");
    }
}
