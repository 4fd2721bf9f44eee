package org.tutti.launch.run;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.TorchVariables;
import org.tutti.launch.UsageException;

/// The nodes of a job in torchrun's words. Where there are several, the user starts one `tutti run` on
/// each, by hand; none of them knows of the others, and ranks meet by what their environment says.
///
/// @param rank of this one
public record Nodes(int count, int rank, String masterAddress, int masterPort) {
    private static final int USUAL_PORT = 29500, LAST_PORT = 65_535, MOST = 16_384;

    /// What the words say; null when there are none.
    static @Nullable Nodes of(Torchrun words) {
        if (words.isEmpty()) return null;
        int count = words.nodes() == null ? 1 : number("--nnodes", words.nodes(), 1, MOST, "how many nodes there are");
        int rank = 0;
        if (words.nodeRank() != null) {
            String what = count == 1 ? "there is one node, unless --nnodes says more" : "which of the nodes this is";
            rank = number("--node-rank", words.nodeRank(), 0, count - 1, what);
        } else if (count > 1) {
            throw missing(count, "--node-rank K, a whole number from 0 to " + (count - 1) + ": which of them this is");
        }
        String address = words.masterAddress();
        if (address == null && count > 1) {
            throw missing(count, "--master-addr HOST: the machine of node 0, where the ranks meet");
        }
        if (address != null && (address.isBlank() || address.indexOf(' ') >= 0)) {
            throw new UsageException("--master-addr '" + address + "' is no host's name");
        }
        int port = words.masterPort() == null
                ? count > 1 ? USUAL_PORT : freePort()
                : number("--master-port", words.masterPort(), 1, LAST_PORT, "where rank 0 listens");
        return new Nodes(count, rank, address == null ? "localhost" : address, port);
    }

    private static UsageException missing(int count, String what) {
        return new UsageException("--nnodes " + count + " needs " + what);
    }

    /// How many ranks each node has; 0 if that was not said.
    static int perNode(Torchrun words, int most) {
        if (words.perNode() == null) return 0;
        return number("--nproc-per-node", words.perNode(), 1, most, "how many ranks a node has");
    }

    static int number(String option, String text, int low, int high, String what) {
        try {
            int value = Integer.parseInt(text);
            if (value >= low && value <= high) return value;
        } catch (NumberFormatException e) {
            // said below
        }
        String range = low == high ? "only " + low + " is possible" : "a whole number from " + low + " to " + high;
        throw new UsageException(option + " " + text + ": " + range + ", " + what);
    }

    /// Two jobs on one machine shall not meet.
    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        } catch (IOException e) {
            return USUAL_PORT;
        }
    }

    /// Whether others start the other nodes.
    boolean areSeveral() {
        return count > 1;
    }

    /// What all ranks of this node find in their environment.
    public Map<String, String> variables(int restart) {
        Map<String, String> variables = new TreeMap<>();
        variables.put(TorchVariables.GROUP_RANK, Integer.toString(rank));
        variables.put(TorchVariables.MASTER_ADDR, masterAddress);
        variables.put(TorchVariables.MASTER_PORT, Integer.toString(masterPort));
        variables.put(TorchVariables.RESTART_COUNT, Integer.toString(restart));
        return variables;
    }

    /// And what one of its `size` ranks finds there, too.
    public Map<String, String> variables(int restart, int localRank, int size) {
        Map<String, String> variables = variables(restart);
        variables.put(TorchVariables.RANK, Integer.toString(rank * size + localRank));
        variables.put(TorchVariables.WORLD_SIZE, Integer.toString(count * size));
        variables.put(TorchVariables.LOCAL_RANK, Integer.toString(localRank));
        variables.put(TorchVariables.LOCAL_WORLD_SIZE, Integer.toString(size));
        return variables;
    }
}
