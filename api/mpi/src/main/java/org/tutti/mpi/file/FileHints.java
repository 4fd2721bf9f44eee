package org.tutti.mpi.file;

import java.util.HashMap;
import java.util.Map;

/// The hints of a file (MPI 4.1, section 14.2.8), as its access understands them; others are kept and have no
/// effect.
///
/// @param together whether collective accesses may pass through memory of the ranks
/// @param cbNodes how many ranks' at most
/// @param cbBytes how much of each
/// @param locks whether each access takes a lock of the system
public record FileHints(Map<String, String> all, boolean together, int cbNodes, long cbBytes, boolean locks) {
    public static final String LOCKS = "tutti_locks";
    public static final String CB_NODES = "cb_nodes";
    public static final String CB_BUFFER_SIZE = "cb_buffer_size";
    public static final String COLLECTIVE_BUFFERING = "collective_buffering";
    public static final String ROMIO_CB_READ = "romio_cb_read";
    public static final String ROMIO_CB_WRITE = "romio_cb_write";

    private static final long PAGE = 4096, MOST = 1 << 30;

    /// Four of them per rank in `/dev/shm`, of which a container may have 64 MiB.
    private static final long USUAL = 1 << 20;

    /// @param keepsCopies whether hosts keep copies of what lies in the file
    static FileHints of(Map<String, String> hints, boolean keepsCopies) {
        boolean disabled = "disable".equals(hints.get(ROMIO_CB_WRITE))
                || "disable".equals(hints.get(ROMIO_CB_READ))
                || "false".equals(hints.get(COLLECTIVE_BUFFERING));
        long bytes = Math.clamp(number(hints, CB_BUFFER_SIZE, USUAL), PAGE, MOST);
        int nodes = Math.clamp(number(hints, CB_NODES, Integer.MAX_VALUE), 1, Integer.MAX_VALUE);
        Map<String, String> all = new HashMap<>(hints);
        if (keepsCopies) all.putIfAbsent(LOCKS, "true");
        boolean locks = "true".equals(all.get(LOCKS));
        return new FileHints(Map.copyOf(all), !disabled, nodes, (bytes + PAGE - 1) / PAGE * PAGE, locks);
    }

    /// A hint that is no number is as if it were not there.
    private static long number(Map<String, String> hints, String key, long usual) {
        try {
            String value = hints.get(key);
            return value == null ? usual : Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            return usual;
        }
    }

    /// Of so many ranks; 0 when each is to access the file by itself.
    int nodes(int ranks) {
        return together ? Math.min(cbNodes, ranks) : 0;
    }
}
