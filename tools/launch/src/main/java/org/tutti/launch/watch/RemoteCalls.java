package org.tutti.launch.watch;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tutti.job.status.FlightExcerpt;
import org.tutti.job.status.FlightRing.Entry;
import org.tutti.launch.JobText;

/// The last operations of remote ranks. A rank sends a report when it has been waiting for some time, when it has
/// made no calls for some time, and when it ends.
final class RemoteCalls {
    /// @param hasMoved whether the rank has entered calls since the report
    private record RemoteReport(String host, FlightExcerpt excerpt, long atNanos, boolean hasMoved) {}

    private final Map<Integer, RemoteReport> reports = new ConcurrentHashMap<>();

    void update(int rank, String host, FlightExcerpt excerpt) {
        reports.put(rank, new RemoteReport(host, excerpt, System.nanoTime(), false));
    }

    /// Records how many calls the rank has entered so far.
    void moved(int rank, long moves) {
        reports.computeIfPresent(
                rank, (r, t) -> t.excerpt.moves() == moves ? t : new RemoteReport(t.host, t.excerpt, t.atNanos, true));
    }

    /// Returns the entries, oldest first; empty if the rank has not sent a report.
    List<Entry> entries(int rank) {
        RemoteReport last = reports.get(rank);
        return last == null ? List.of() : last.excerpt.entries();
    }

    /// Returns whether the entries are current: the rank has not entered further calls since its report.
    boolean isUpToDate(int rank) {
        RemoteReport last = reports.get(rank);
        return last != null && !last.hasMoved;
    }

    /// Returns ` on b, reported 2.1 s ago`; empty if the rank has not sent a report, for example because it runs
    /// on this machine.
    String source(int rank) {
        RemoteReport last = reports.get(rank);
        if (last == null) return "";
        return " on " + last.host + ", reported " + JobText.seconds(System.nanoTime() - last.atNanos) + " ago";
    }
}
