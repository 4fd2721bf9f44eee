package org.tutti.launch.place;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.job.cpu.CpuLevel;
import org.tutti.job.cpu.CpuList;
import org.tutti.job.cpu.CpuTopology;

class CpuTopologyTest {
    @TempDir
    Path directory;

    private static BitSet cpus(String list) {
        return Objects.requireNonNull(CpuList.parse(list));
    }

    private static List<String> lists(CpuTopology topology, CpuLevel level) {
        return topology.of(level).stream().map(CpuList::of).toList();
    }

    @Test
    void numbersThreadsOfASocketConsecutively() throws Exception {
        CpuTopology machine = CpuTopology.read(FakeMachine.twoSockets(directory), cpus("0-15"));
        assertThat(lists(machine, CpuLevel.CORE))
                .containsExactly("0,8", "2,10", "4,12", "6,14", "1,9", "3,11", "5,13", "7,15");
        assertThat(lists(machine, CpuLevel.HWTHREAD))
                .startsWith("0", "8", "2", "10")
                .endsWith("7", "15")
                .hasSize(16);
        assertThat(lists(machine, CpuLevel.SOCKET)).containsExactly("0,2,4,6,8,10,12,14", "1,3,5,7,9,11,13,15");
        assertThat(lists(machine, CpuLevel.NUMA)).containsExactly("0,2,8,10", "4,6,12,14", "1,3,9,11", "5,7,13,15");
        assertThat(lists(machine, CpuLevel.NODE)).containsExactly("0-15");
    }

    @Test
    void countsOnlyUsableCpus() throws Exception {
        CpuTopology machine = CpuTopology.read(FakeMachine.twoSockets(directory), cpus("2,3,11"));
        assertThat(lists(machine, CpuLevel.CORE)).containsExactly("2", "3,11");
        assertThat(lists(machine, CpuLevel.SOCKET)).containsExactly("2", "3,11");
        assertThat(CpuList.of(machine.cpus())).isEqualTo("2-3,11");
    }

    @Test
    void aCpuWithoutTopologyIsACore() {
        CpuTopology machine = CpuTopology.read(directory, cpus("0-2"));
        assertThat(lists(machine, CpuLevel.CORE)).containsExactly("0", "1", "2");
        assertThat(lists(machine, CpuLevel.SOCKET)).containsExactly("0-2");
        assertThat(lists(machine, CpuLevel.NUMA)).containsExactly("0-2");
    }

    @Test
    void readsAllowedCpus() throws Exception {
        Path status = directory.resolve("status");
        Files.writeString(status, "Name:\tjava\nCpus_allowed:\t31\nCpus_allowed_list:\t0,4-5\n");
        assertThat(CpuTopology.allowed(status)).isEqualTo(cpus("0,4-5"));
        Files.writeString(status, "Name:\tjava\n");
        assertThat(CpuTopology.allowed(status)).isNull();
    }

    @Test
    void readsAndWritesTheKernelsLists() {
        assertThat(CpuList.of(cpus("3,0-1,7-9\n"))).isEqualTo("0-1,3,7-9");
        for (String wrong : List.of("", "a", "2-1", "-1", "1,,2", "1-", "99999999")) {
            assertThat(CpuList.parse(wrong)).as(wrong).isNull();
        }
    }
}
