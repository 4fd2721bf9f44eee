package org.tutti.launch.calls;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord.Kind;

/// Matches the records of a collective call on all ranks by the communicator and the sequence number of the
/// call.
public final class MatchedCollectives {
    /// A rank's part in a collective call; `record` is -1 if the rank did not make the call.
    public record Part(CallFile file, int record) {}

    /// Accepts a collective call with the parts of all ranks that have recorded a collective call on the
    /// communicator. A rank whose log is full and does not contain this call is omitted.
    @FunctionalInterface
    public interface Matcher {
        void of(List<Part> parts, long call);
    }

    private record Calls(CallFile file, IntList records) {}

    private MatchedCollectives() {}

    /// Passes every collective call to `matcher`.
    public static void match(JobCalls job, Matcher matcher) {
        Map<Long, List<Calls>> comms = new TreeMap<>();
        for (CallFile file : job.ranks()) {
            byComm(file)
                    .forEach((comm, records) ->
                            comms.computeIfAbsent(comm, c -> new ArrayList<>()).add(new Calls(file, records)));
        }
        comms.values().forEach(ranks -> match(ranks, matcher));
    }

    private static Map<Long, IntList> byComm(CallFile file) {
        Map<Integer, Long> ids = new HashMap<>();
        Map<Long, IntList> calls = new HashMap<>();
        for (int i = 0; i < file.records(); i++) {
            Kind kind = file.kind(i);
            if (kind != Kind.COLLECTIVE && kind != Kind.MAKE || file.call(i) == 0) continue;
            long comm = ids.computeIfAbsent(file.comm(i), text -> MessagePairs.id(file.text(text)));
            calls.computeIfAbsent(comm, c -> new IntList()).add(i);
        }
        return calls;
    }

    private static void match(List<Calls> ranks, Matcher matcher) {
        int[] at = new int[ranks.size()];
        while (true) {
            long next = Long.MAX_VALUE;
            for (int r = 0; r < at.length; r++) {
                Calls calls = ranks.get(r);
                if (at[r] < calls.records.size()) next = Math.min(next, calls.file.call(calls.records.get(at[r])));
            }
            if (next == Long.MAX_VALUE) return;
            List<Part> parts = new ArrayList<>(at.length);
            for (int r = 0; r < at.length; r++) {
                Calls calls = ranks.get(r);
                int record = at[r] < calls.records.size() ? calls.records.get(at[r]) : -1;
                boolean hasPart = record >= 0 && calls.file.call(record) <= next;
                if (hasPart) at[r]++;
                // if the log of the rank is full, the rank may have entered the call without a record
                if (hasPart || calls.file.leftOut() == 0) parts.add(new Part(calls.file, hasPart ? record : -1));
            }
            matcher.of(parts, next);
        }
    }
}
