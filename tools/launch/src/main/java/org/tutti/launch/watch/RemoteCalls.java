package org.tutti.launch.watch;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.job.status.FlightExcerpt;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.launch.JobText;

/// What ranks on other machines have told of their last operations: when they began to wait, or to do
/// something else than to call, and when they ended.
final class RemoteCalls {
    /// @param hasMoved whether it has called since
    private record Told(String host, FlightExcerpt excerpt, long atNanos, boolean hasMoved) {}

    private final Map<Integer, Told> told = new ConcurrentHashMap<>();

    void told(int rank, String host, FlightExcerpt excerpt) {
        told.put(rank, new Told(host, excerpt, System.nanoTime(), false));
    }

    /// The rank has called so often.
    void moved(int rank, long moves) {
        told.computeIfPresent(
                rank, (r, t) -> t.excerpt.moves() == moves ? t : new Told(t.host, t.excerpt, t.atNanos, true));
    }

    /// The oldest first; none where the rank has told nothing.
    List<Entry> entries(int rank) {
        Told last = told.get(rank);
        return last == null ? List.of() : last.excerpt.entries();
    }

    /// Whether the rank has called nothing else, as far as it has told.
    boolean isUpToDate(int rank) {
        Told last = told.get(rank);
        return last != null && !last.hasMoved;
    }

    /// ` on b, as it told 2.1 s ago`; nothing of a rank on this machine.
    String source(int rank) {
        Told last = told.get(rank);
        if (last == null) return "";
        return " on " + last.host + ", as it told " + JobText.seconds(System.nanoTime() - last.atNanos) + " ago";
    }
}
