package org.tutti.mpi.file;

import java.util.Map;

/// The hints of a file (MPI 4.1, section 14.2.8), as its access understands them; others are kept and have no
/// effect.
///
/// @param together whether collective accesses may pass through memory of the ranks
/// @param cbNodes how many ranks' at most
/// @param cbBytes how much of each
record FileHints(Map<String, String> all, boolean together, int cbNodes, long cbBytes) {
    private static final long PAGE = 4096, MOST = 1 << 30;

    /// Four of them per rank in `/dev/shm`, of which a container may have 64 MiB.
    private static final long USUAL = 1 << 20;

    static FileHints of(Map<String, String> hints) {
        boolean disabled = "disable".equals(hints.get("romio_cb_write"))
                || "disable".equals(hints.get("romio_cb_read"))
                || "false".equals(hints.get("collective_buffering"));
        long bytes = Math.clamp(number(hints, "cb_buffer_size", USUAL), PAGE, MOST);
        int nodes = Math.clamp(number(hints, "cb_nodes", Integer.MAX_VALUE), 1, Integer.MAX_VALUE);
        return new FileHints(Map.copyOf(hints), !disabled, nodes, (bytes + PAGE - 1) / PAGE * PAGE);
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
