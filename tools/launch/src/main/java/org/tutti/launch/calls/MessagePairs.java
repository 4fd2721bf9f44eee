package org.tutti.launch.calls;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.tutti.job.calls.CallFile;
import org.tutti.job.calls.CallRecord;
import org.tutti.job.calls.CallRecord.Kind;

/// Matches sends and receives. For messages between two ranks with the same communicator and tag, the message
/// sent first is received by the receive started first (MPI 4.1, section 3.5). The rule also applies to receives
/// with wildcards: a completed receive contains source and tag, and MPI does not permit a message to skip an
/// earlier matching receive.
public final class MessagePairs {
    /// Accepts the two records of a message: `send` is the number of a record of `from`, `receive` of `to`.
    @FunctionalInterface
    public interface Pair {
        void of(CallFile from, int send, CallFile to, int receive);
    }

    private record Channel(long comm, int lane, int tag) {}

    /// The numbers of a rank's send records and receive records, each indexed by the other rank.
    private record RankMessages(IntList[] sends, IntList[] receives) {}

    private MessagePairs() {}

    /// Passes every message with a recorded send and a recorded receive to `pair`, ordered by receiver, then by
    /// sender.
    public static void match(JobCalls job, Pair pair) {
        CallFile[] files = new CallFile[job.size()];
        RankMessages[] ends = new RankMessages[job.size()];
        for (CallFile file : job.ranks()) {
            files[file.rank()] = file;
            ends[file.rank()] = ends(file, job.size());
        }
        for (CallFile to : job.ranks()) {
            for (CallFile from : job.ranks()) {
                IntList sends = ends[from.rank()].sends[to.rank()];
                IntList receives = ends[to.rank()].receives[from.rank()];
                if (sends != null && receives != null) match(from, sends, to, receives, pair);
            }
        }
    }

    private static RankMessages ends(CallFile file, int size) {
        RankMessages ends = new RankMessages(new IntList[size], new IntList[size]);
        for (int i = 0; i < file.records(); i++) {
            Kind kind = file.kind(i);
            if (kind != Kind.SEND && kind != Kind.RECV) continue;
            int peer = file.peer(i);
            boolean received = file.is(i, CallRecord.COMPLETE) && !file.is(i, CallRecord.NO_MESSAGE);
            if (peer < 0 || peer >= size || kind == Kind.RECV && !received) continue;
            IntList[] of = kind == Kind.SEND ? ends.sends : ends.receives;
            if (of[peer] == null) of[peer] = new IntList();
            of[peer].add(i);
        }
        return ends;
    }

    private static void match(CallFile from, IntList sends, CallFile to, IntList receives, Pair pair) {
        Map<Channel, Integer> channels = new HashMap<>();
        long[] sent = inOrder(from, sends, channels);
        long[] received = inOrder(to, receives, channels);
        for (int s = 0, r = 0; s < sent.length && r < received.length; ) {
            int channel = Integer.compare(channel(sent[s]), channel(received[r]));
            if (channel == 0) pair.of(from, sends.get((int) sent[s]), to, receives.get((int) received[r]));
            if (channel <= 0) s++;
            if (channel >= 0) r++;
        }
    }

    private static int channel(long key) {
        return (int) (key >>> 32);
    }

    /// Returns a key for each message, ordered by channel and then by the start of the message. A key consists
    /// of the channel's number (upper 32 bits) and the position of the message's record in `ends`.
    private static long[] inOrder(CallFile file, IntList ends, Map<Channel, Integer> channels) {
        Map<Integer, Long> ids = new HashMap<>();
        long[] keys = new long[ends.size()];
        boolean inOrder = true;
        for (int e = 0; e < keys.length; e++) {
            int i = ends.get(e);
            long comm = ids.computeIfAbsent(file.comm(i), text -> id(file.text(text)));
            Channel channel = new Channel(comm, file.lane(i), file.tag(i));
            Integer number = channels.get(channel);
            if (number == null) channels.put(channel, number = channels.size());
            keys[e] = (long) number << 32 | e;
            inOrder &= file.call(i) == 0;
        }
        if (inOrder) {
            Arrays.sort(keys);
            return keys;
        }
        // a message matched by a probe counts as received at the time of the probe
        return Arrays.stream(keys)
                .boxed()
                .sorted((a, b) -> channel(a) != channel(b)
                        ? Integer.compare(channel(a), channel(b))
                        : Long.compare(started(file, ends.get(a.intValue())), started(file, ends.get(b.intValue()))))
                .mapToLong(Long::longValue)
                .toArray();
    }

    private static long started(CallFile file, int record) {
        return file.call(record) == 0 ? record : file.call(record) - 1;
    }

    /// Returns the identifier of a communicator, which is the same on all ranks.
    static long id(String comm) {
        int blank = comm.indexOf(' ');
        return blank < 0 ? 0 : Long.parseUnsignedLong(comm, 0, blank, 16);
    }
}
