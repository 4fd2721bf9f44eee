package org.tutti.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.cpu.CpuTopology;

/// On [FakeMachine]: cores of socket 0 are 0,8 2,10 4,12 6,14; cores of socket 1 are 1,9 3,11 5,13 7,15.
class BindingsTest {
    @TempDir
    Path directory;

    private CpuTopology machine;
    private BitSet all;

    @BeforeEach
    void build() throws Exception {
        all = Objects.requireNonNull(CpuList.parse("0-15"));
        machine = CpuTopology.read(FakeMachine.twoSockets(directory), all);
    }

    private Bindings bind(@Nullable String to, @Nullable String map, int ranks, boolean sharing) {
        return Bindings.of(new Binding(to, map, null, null, sharing, false), machine, ranks, all);
    }

    private List<String> cpus(@Nullable String to, @Nullable String map, int ranks) {
        return cpus(bind(to, map, ranks, false), ranks);
    }

    private static List<String> cpus(Bindings bindings, int ranks) {
        List<String> lists = new ArrayList<>();
        for (int r = 0; r < ranks; r++) lists.add(CpuList.of(Objects.requireNonNull(bindings.cpus(r))));
        return lists;
    }

    private Bindings byFile(@Nullable String to, int ranks, String... lines) throws Exception {
        return Bindings.of(new Binding(to, null, null, file(lines), false, false), machine, ranks, all);
    }

    private Path file(String... lines) throws Exception {
        return Files.write(directory.resolve("rankfile"), List.of(lines));
    }

    @Test
    void fillsCoresInOrder() {
        assertThat(cpus("core", null, 5)).containsExactly("0,8", "2,10", "4,12", "6,14", "1,9");
        assertThat(cpus("core", "slot", 2)).containsExactly("0,8", "2,10");
        assertThat(cpus(null, "core", 2)).containsExactly("0,8", "2,10");
        assertThat(cpus("hwthread", "hwthread", 3)).containsExactly("0", "8", "2");
    }

    @Test
    void dealsOutRoundSocketsAndNumaNodes() {
        assertThat(cpus("core", "socket", 4)).containsExactly("0,8", "1,9", "2,10", "3,11");
        assertThat(cpus("core", "numa", 5)).containsExactly("0,8", "4,12", "1,9", "5,13", "2,10");
        assertThat(cpus(null, "socket", 2)).containsExactly("0,2,4,6,8,10,12,14", "1,3,5,7,9,11,13,15");
        assertThat(cpus("numa", "socket", 4)).containsExactly("0,2,8,10", "1,3,9,11", "4,6,12,14", "5,7,13,15");
        assertThat(cpus("socket", "core", 2)).containsExactly("0,2,4,6,8,10,12,14", "0,2,4,6,8,10,12,14");
    }

    @Test
    void givesSeveralCoresToEach() {
        assertThat(cpus(null, "core:PE=2", 3)).containsExactly("0,2,8,10", "4,6,12,14", "1,3,9,11");
        assertThat(cpus(null, "socket:pe=2", 3)).containsExactly("0,2,8,10", "1,3,9,11", "4,6,12,14");
        assertThat(cpus("hwthread", "slot:PE=2", 2)).containsExactly("0,8", "2,10");
        assertThatThrownBy(() -> cpus(null, "socket:PE=5", 2))
                .hasMessage("--map-by socket:PE=5: there are only 4 cores in a socket");
    }

    @Test
    void refusesToPutTwoOnACoreUnlessThatIsWanted() {
        assertThatThrownBy(() -> cpus("core", null, 9))
                .hasMessage("--bind-to core: 9 ranks would share 8 cores; start fewer ranks, leave it out, or add"
                        + " --oversubscribe");
        assertThatThrownBy(() -> cpus(null, "core:PE=4", 3))
                .hasMessageStartingWith("--map-by core:PE=4: 3 ranks would share 8 cores;");
        assertThatThrownBy(() -> cpus("socket", null, 9)).hasMessageStartingWith("--bind-to socket: 9 ranks");
        Bindings shared = bind("core", null, 9, true);
        assertThat(cpus(shared, 9)).endsWith("7,15", "0,8");
    }

    @Test
    void aRankSeesItsPartOfItsCpus() {
        Bindings unshared = bind("core", null, 4, false);
        assertThat(unshared.processors(3)).isEqualTo(2);
        assertThat(bind("socket", "socket", 4, false).processors(0)).isEqualTo(4);
        Bindings shared = bind("hwthread", null, 17, true);
        assertThat(shared.processors(16)).isEqualTo(1);
        assertThat(shared.together())
                .as("ranks 0 and 16 share a core and must not spin")
                .isEqualTo(8);
        assertThat(unshared.together()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void doesNotBindByDefault() {
        Bindings none = bind(null, "slot", 2, false);
        assertThat(none.isBound()).isFalse();
        assertThat(none.cpus(0)).isNull();
        assertThat(none.report(1, 0)).isEqualTo("rank 1 is not bound");
        assertThat(bind("none", "socket", 2, false).isBound()).isFalse();
    }

    @Test
    void keepsAllRanksOnTheCpuSet() {
        CpuTopology part = CpuTopology.read(directory, Objects.requireNonNull(CpuList.parse("3,11")));
        Bindings set = Bindings.of(new Binding(null, null, "3,11", null, false, false), part, 4, all);
        assertThat(set.report(3, 0)).isEqualTo("rank 3 bound to the cpu set (cpus 3,11)");
        assertThat(set.processors(0)).isEqualTo(1);
        assertThat(set.together()).isEqualTo(2);
    }

    @Test
    void reportsInTheFormatOfMpirun() {
        assertThat(bind("core", null, 2, false).report(1, 0)).isEqualTo("rank 1 bound to core 1 (cpus 2,10)");
        assertThat(bind(null, "core:PE=3", 1, false).report(0, 0))
                .isEqualTo("rank 0 bound to cores 0-2 (cpus 0,2,4,8,10,12)");
    }

    @Test
    void readsRankfiles() throws Exception {
        Bindings bindings = byFile(
                null,
                5,
                "# where ranks run",
                "rank 0=localhost slot=0",
                "rank 1=127.0.0.1 slot=1-2,7",
                "rank 2 = localhost slot=1:0-1   # socket 1",
                "",
                "rank 4=localhost slot=0:*",
                "rank 3=localhost slot=0:0;1:3");
        assertThat(cpus(bindings, 5))
                .containsExactly("0,8", "2,4,7,10,12,15", "1,3,9,11", "0,7-8,15", "0,2,4,6,8,10,12,14");
        assertThat(cpus(byFile("hwthread", 1, "rank 0=localhost slot=1"), 1)).containsExactly("8");
    }

    @Test
    void ranksThatShareARankfileCoreDoNotSpin() throws Exception {
        Bindings bindings = byFile(null, 2, "rank 0=localhost slot=0", "rank 1=localhost slot=0");
        assertThat(bindings.processors(0)).isEqualTo(1);
        Bindings threads =
                byFile("hwthread", 3, "rank 0=localhost slot=0", "rank 1=localhost slot=0", "rank 2=localhost slot=2");
        assertThat(threads.together()).isEqualTo(1);
    }

    @Test
    void explainsRankfiles() throws Exception {
        String name = "--rankfile " + directory.resolve("rankfile");
        String example = ": lines look like rank 0=localhost slot=0-1";
        assertThatThrownBy(() -> Rankfile.read(file("# nothing"))).hasMessage(name + " names no rank" + example);
        for (String wrong :
                List.of("zero", "rank x=localhost slot=0", "rank 0=localhost", "rank 0 slot=1", "0=localhost slot=1")) {
            assertThatThrownBy(() -> Rankfile.read(file(wrong))).hasMessage(name + ", line 1: " + wrong + example);
        }
        assertThatThrownBy(() -> Rankfile.read(file("rank 0=localhost slot=0", "rank 0=localhost slot=1")))
                .hasMessage(name + ", line 2: rank 0 has a line already");
        assertThatThrownBy(() -> byFile(null, 1, "rank 0=localhost slot=8"))
                .hasMessage(name + ", line 1: slot=8: there is no core 8 here, but cores 0-7");
        assertThatThrownBy(() -> byFile(null, 1, "rank 0=localhost slot=2:0"))
                .hasMessage(name + ", line 1: slot=2:0: there is no socket 2 here, but sockets 0-1");
        assertThatThrownBy(() -> byFile(null, 1, "rank 0=localhost slot=x"))
                .hasMessage(name
                        + ", line 1: slot=x: slots are numbers, as in slot=0, slot=0-1,4 or, of a socket, slot=0:1");
        Rankfile two = Rankfile.read(file("rank 0=localhost slot=0", "rank 2=localhost slot=1"));
        assertThatThrownBy(() -> two.require(3)).hasMessage(name + " has no line for rank 1 of 3");
        assertThatThrownBy(() -> two.require(1))
                .hasMessage(name + ", line 2 is for rank 2, but -n 1 starts ranks 0 to 0");
    }

    @Test
    void explainsUnknownValues() {
        assertThatThrownBy(() -> cpus("board", null, 1))
                .hasMessage("--bind-to board: there are core, hwthread, socket, numa and none");
        assertThatThrownBy(() -> cpus("node", null, 1)).hasMessageStartingWith("--bind-to node: there are");
        assertThatThrownBy(() -> cpus(null, "l3cache", 1))
                .hasMessage(
                        "--map-by l3cache: there are slot, core, hwthread, socket, numa and node, each with or without"
                                + " :PE=N for N cores per rank");
        assertThatThrownBy(() -> cpus(null, "core:PE=0", 1))
                .hasMessage("--map-by core:PE=0: PE is a whole number of cores from 1, as in --map-by core:PE=2");
        assertThatThrownBy(() -> cpus(null, "core:SPAN", 1))
                .hasMessage("--map-by core:SPAN: only :PE=N, for N cores per rank, can follow, not :SPAN");
        assertThatThrownBy(() -> cpus("socket", "core:PE=2", 1))
                .hasMessage(
                        "--bind-to socket: --map-by core:PE=2 gives each rank separate cores; use core or hwthread");
    }
}
