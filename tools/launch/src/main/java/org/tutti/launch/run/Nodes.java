package org.tutti.launch.run;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.TorchVariables;
import org.tutti.launch.UsageException;

/// The nodes of a job that was started with the options of torchrun. With several nodes, the user starts one
/// `tutti run` on each node. These launchers do not communicate; ranks find the address to connect to in
/// environment variables.
///
/// @param rank the number of this node
public record Nodes(int count, int rank, String masterAddress, int masterPort) {
    private static final int DEFAULT_PORT = 29500, LAST_PORT = 65_535, MOST = 16_384;

    /// Returns the nodes that the options describe; null if there are no such options.
    static @Nullable Nodes of(Torchrun words) {
        if (words.isEmpty()) return null;
        int count = words.nodes() == null ? 1 : number("--nnodes", words.nodes(), 1, MOST, "how many nodes there are");
        int rank = 0;
        if (words.nodeRank() != null) {
            String what = count == 1 ? "there is one node unless --nnodes specifies more" : "the number of this node";
            rank = number("--node-rank", words.nodeRank(), 0, count - 1, what);
        } else if (count > 1) {
            throw missing(
                    count, "--node-rank K, a whole number from 0 to " + (count - 1) + ": the number of this node");
        }
        String address = words.masterAddress();
        if (address == null && count > 1) {
            throw missing(count, "--master-addr HOST: the machine of node 0, to which the ranks connect");
        }
        if (address != null && (address.isBlank() || address.indexOf(' ') >= 0)) {
            throw new UsageException("--master-addr '" + address + "' is not a host name");
        }
        int port = words.masterPort() == null
                ? count > 1 ? DEFAULT_PORT : freePort()
                : number("--master-port", words.masterPort(), 1, LAST_PORT, "where rank 0 listens");
        return new Nodes(count, rank, address == null ? "localhost" : address, port);
    }

    private static UsageException missing(int count, String what) {
        return new UsageException("--nnodes " + count + " needs " + what);
    }

    /// Returns the number of ranks of each node; 0 if not specified.
    static int perNode(Torchrun words, int most) {
        if (words.perNode() == null) return 0;
        return number("--nproc-per-node", words.perNode(), 1, most, "how many ranks a node has");
    }

    static int number(String option, String text, int low, int high, String what) {
        try {
            int value = Integer.parseInt(text);
            if (value >= low && value <= high) return value;
        } catch (NumberFormatException e) {
            // reported below
        }
        String range = low == high ? "only " + low + " is possible" : "a whole number from " + low + " to " + high;
        throw new UsageException(option + " " + text + ": " + range + ", " + what);
    }

    /// Returns a free port, because two jobs on one machine need different ports.
    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        } catch (IOException e) {
            return DEFAULT_PORT;
        }
    }

    /// Whether other launchers start ranks on other nodes.
    boolean areSeveral() {
        return count > 1;
    }

    /// Returns the environment variables of all ranks of this node.
    public Map<String, String> variables(int restart) {
        Map<String, String> variables = new TreeMap<>();
        variables.put(TorchVariables.GROUP_RANK, Integer.toString(rank));
        variables.put(TorchVariables.MASTER_ADDR, masterAddress);
        variables.put(TorchVariables.MASTER_PORT, Integer.toString(masterPort));
        variables.put(TorchVariables.RESTART_COUNT, Integer.toString(restart));
        return variables;
    }

    /// Returns the additional environment variables of a rank of this node, which has `size` ranks.
    public Map<String, String> variables(int restart, int localRank, int size) {
        Map<String, String> variables = variables(restart);
        variables.put(TorchVariables.RANK, Integer.toString(rank * size + localRank));
        variables.put(TorchVariables.WORLD_SIZE, Integer.toString(count * size));
        variables.put(TorchVariables.LOCAL_RANK, Integer.toString(localRank));
        variables.put(TorchVariables.LOCAL_WORLD_SIZE, Integer.toString(size));
        return variables;
    }
}
