package org.tutti.mpi.file;

import java.util.HashMap;
import java.util.Map;

/// The hints of a file (MPI 4.1, section 14.2.8), in parsed form. Unknown hints are stored, but have no effect.
///
/// @param together whether the data of a collective access may be transferred through the memory of other ranks
/// @param cbNodes the maximum number of ranks that have a domain
/// @param cbBytes the size of a domain, in bytes
/// @param locks whether each access is protected by a system lock
public record FileHints(Map<String, String> all, boolean together, int cbNodes, long cbBytes, boolean locks) {
    public static final String LOCKS = "tutti_locks";
    public static final String CB_NODES = "cb_nodes";
    public static final String CB_BUFFER_SIZE = "cb_buffer_size";
    public static final String COLLECTIVE_BUFFERING = "collective_buffering";
    public static final String ROMIO_CB_READ = "romio_cb_read";
    public static final String ROMIO_CB_WRITE = "romio_cb_write";

    private static final long PAGE = 4096, MOST = 1 << 30;

    /// The default size of a domain in bytes. Each rank uses four times this size in `/dev/shm`, which is
    /// limited to 64 MiB in a container.
    private static final long DEFAULT_BYTES = 1 << 20;

    /// Parses the hints. `keepsCopies` states whether hosts cache the content of the file.
    static FileHints of(Map<String, String> hints, boolean keepsCopies) {
        boolean disabled = "disable".equals(hints.get(ROMIO_CB_WRITE))
                || "disable".equals(hints.get(ROMIO_CB_READ))
                || "false".equals(hints.get(COLLECTIVE_BUFFERING));
        long bytes = Math.clamp(number(hints, CB_BUFFER_SIZE, DEFAULT_BYTES), PAGE, MOST);
        int nodes = Math.clamp(number(hints, CB_NODES, Integer.MAX_VALUE), 1, Integer.MAX_VALUE);
        Map<String, String> all = new HashMap<>(hints);
        if (keepsCopies) all.putIfAbsent(LOCKS, "true");
        boolean locks = "true".equals(all.get(LOCKS));
        return new FileHints(Map.copyOf(all), !disabled, nodes, (bytes + PAGE - 1) / PAGE * PAGE, locks);
    }

    /// Returns the number in a hint; the default if the hint is not a number.
    private static long number(Map<String, String> hints, String key, long otherwise) {
        try {
            String value = hints.get(key);
            return value == null ? otherwise : Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /// Returns the number of ranks with a domain; 0 if each rank accesses the file independently.
    int nodes(int ranks) {
        return together ? Math.min(cbNodes, ranks) : 0;
    }
}
