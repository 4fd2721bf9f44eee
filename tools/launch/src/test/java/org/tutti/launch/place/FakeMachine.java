package org.tutti.launch.place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A `/sys/devices/system` of two sockets with two NUMA nodes each, four cores of two threads per socket,
/// with the numbering of typical servers: cpu c is on socket c mod 2, and c + 8 is the other thread of the core.
final class FakeMachine {
    private FakeMachine() {}

    static Path twoSockets(Path system) throws IOException {
        for (int c = 0; c < 16; c++) {
            Path topology = Files.createDirectories(system.resolve("cpu/cpu" + c + "/topology"));
            int core = c % 8;
            Files.writeString(topology.resolve("core_cpus_list"), core + "," + (core + 8) + "\n");
            Files.writeString(
                    topology.resolve("package_cpus_list"), even(c) ? "0,2,4,6,8,10,12,14\n" : "1,3,5,7,9,11,13,15\n");
        }
        String[] nodes = {"0,2,8,10", "4,6,12,14", "1,3,9,11", "5,7,13,15"};
        for (int n = 0; n < nodes.length; n++) {
            Path node = Files.createDirectories(system.resolve("node/node" + n));
            Files.writeString(node.resolve("cpulist"), nodes[n] + "\n");
        }
        Files.writeString(system.resolve("node/online"), "0-3\n");
        return system;
    }

    private static boolean even(int cpu) {
        return cpu % 2 == 0;
    }
}
