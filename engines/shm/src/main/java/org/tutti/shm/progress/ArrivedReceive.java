package org.tutti.shm.progress;

import org.tutti.shm.channel.RecordDescriptor;
import org.tutti.shm.channel.RingConsumer;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.segment.Bells;
import org.tutti.shm.segment.Shared;
import org.tutti.spi.Transfer;

/// The short path of a receive: if the message is at the head of the sender's ring, or arrives there within a
/// few polls, it is copied directly. The short path declines if other messages or receives of the communicator
/// are pending.
public final class ArrivedReceive {
    private final Progress progress;
    private final Shared memory;
    private final Bells bells;

    public ArrivedReceive(Progress progress, Shared memory, Bells bells) {
        this.progress = progress;
        this.memory = memory;
        this.bells = bells;
    }

    /// Returns whether [#take] can complete the receive. Needs no lock.
    public static boolean suits(ShmTransfer t) {
        return t.kind != Transfer.Kind.SEND
                && t.lane == Transfer.Lane.USER
                && t.layout == null
                && !t.matched
                && t.failure() == null
                && !t.type.isMixed();
    }

    /// Receives the message from the ring of `sender`. Returns false without effect if this is not possible
    /// now. Needs the lock.
    ///
    /// @param sender the process number of the sender; -1 for any sender
    /// @param id the id of the context
    /// @param rounds the maximum number of polls
    public boolean take(ShmTransfer t, int sender, long id, int rounds) {
        Progress p = progress;
        // the short path declines at every 16th successful poll, because only the general path polls all rings
        boolean isDue = (p.moves & Progress.ALL_MASK) == 0 || p.deadRanks.isNotEmpty();
        if (isDue || sender >= p.consumers.length || !p.matcher.context(id).isIdle()) return false;
        RingConsumer ring = sender < 0 ? null : p.consumers[sender];
        if (ring == null && sender >= 0) return false;
        for (int i = 1; ; i++) {
            if (ring == null) {
                for (RingConsumer each : p.rings()) if (each.peek() != 0 && take(t, each, id)) return true;
            } else if (ring.peek() != 0) {
                return take(t, ring, id);
            }
            if (i >= rounds || p.lock.hasQueuedThreads()) return false;
            Thread.onSpinWait();
        }
    }

    /// Receives the next message of a ring if the receive matches.
    private boolean take(ShmTransfer t, RingConsumer ring, long id) {
        long word = ring.peek();
        long at = ring.position();
        long length = memory.getLong(at + RecordDescriptor.LENGTH);
        boolean isPlain = word >>> 32 == (RecordDescriptor.EAGER | t.type.code() << 8);
        if (!isPlain || memory.getLong(at + RecordDescriptor.CONTEXT) != id) return false;
        long envelope = memory.getLong(at + RecordDescriptor.ENVELOPE);
        int tag = RecordDescriptor.tag(envelope), source = RecordDescriptor.source(envelope);
        boolean isWanted = t.tag == tag || t.tag == Transfer.ANY_TAG;
        if (!isWanted || t.peer != source && t.peer != Transfer.ANY_SOURCE) return false;
        if (t.kind == Transfer.Kind.RECV_ALLOCATE) {
            if (!makeRoom(t, length)) return false;
            t.fill(0, memory.segment(), at + RecordDescriptor.PAYLOAD, length);
        } else if (length <= t.lengthBytes) {
            memory.take(at + RecordDescriptor.PAYLOAD, t.memory.segment(), t.offsetBytes, length);
        } else {
            return false;
        }
        t.source = source;
        t.receivedTag = tag;
        t.receivedBytes = length;
        progress.moves++;
        if (ring.advance(word)) bells.ring(ring.sender());
        ring.received(RecordDescriptor.bytes(word));
        return true;
    }

    private static boolean makeRoom(ShmTransfer t, long length) {
        t.begin(null, false);
        try {
            t.firstRoom(length);
            return true;
        } catch (RuntimeException | OutOfMemoryError e) {
            return false; // the general path reports the cause
        }
    }
}
