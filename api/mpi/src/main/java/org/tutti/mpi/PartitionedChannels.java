package org.tutti.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;
import org.tutti.spi.type.Layout;
import org.tutti.spi.type.LayoutPart;

/// Matches the partitioned sends and receives of a communicator: the n-th `psendInit` of rank A with
/// destination B and a tag matches the n-th `precvInit` of rank B with source A and the same tag. Each of the
/// two ranks counts its calls separately. The sender determines the number of parts. In the first round, which
/// is the first start of the request, the sender announces this number and the tags of the parts to the
/// receiver. Announcements and parts are messages in a separate [Transfer#lane], and so cannot match other
/// messages.
///
///     0       4          8            12             16
///     |  tag  |  number  | first tag  |  partitions  |  bytes of each   |
final class PartitionedChannels {
    /// The tag of announcements in the lane of partitioned messages; parts have larger tags.
    static final int ANNOUNCEMENT_TAG = 0;

    /// Identifies a pair of a send and a receive on one of the two ranks: by the other rank, the tag, and the
    /// sequence number.
    record Key(int peer, int tag, int number) {}

    /// The message with which a sender announces the parts.
    record Announcement(Key key, int firstTag, int partitions, long partBytes) {
        static final long BYTES = 24;

        void write(MemorySegment words) {
            words.set(JAVA_INT_UNALIGNED, 0, key.tag);
            words.set(JAVA_INT_UNALIGNED, 4, key.number);
            words.set(JAVA_INT_UNALIGNED, 8, firstTag);
            words.set(JAVA_INT_UNALIGNED, 12, partitions);
            words.set(JAVA_LONG_UNALIGNED, 16, partBytes);
        }

        static Announcement read(int sender, MemorySegment words) {
            Key key = new Key(sender, words.get(JAVA_INT_UNALIGNED, 0), words.get(JAVA_INT_UNALIGNED, 4));
            int firstTag = words.get(JAVA_INT_UNALIGNED, 8);
            int partitions = words.get(JAVA_INT_UNALIGNED, 12);
            return new Announcement(key, firstTag, partitions, words.get(JAVA_LONG_UNALIGNED, 16));
        }
    }

    /// The memory and the layout of the parts.
    record Data(Memory memory, @Nullable Layout layout) {
        static Data of(Buf buf) {
            return new Data(buf.memory(), buf.layout);
        }

        /// Sets the memory of `t` to `bytes` packed bytes, starting at byte `from`.
        Transfer place(Transfer t, long from, long bytes) {
            return layout == null ? t.at(memory, from, bytes) : t.at(memory, new LayoutPart(layout, from, bytes));
        }
    }

    /// The sender that a receive matches.
    static final class Source {
        final Key key;

        /// The announcement; null until it arrives.
        volatile @Nullable Announcement announced;

        Source(Key key) {
            this.key = key;
        }
    }

    private record Envelope(int peer, int tag) {}

    private final Mpi mpi;
    private final CommPort port;

    // the following fields are guarded by the monitor of this object
    private final Map<Envelope, Integer> sends = new HashMap<>();
    private final Map<Envelope, Integer> receives = new HashMap<>();
    private final Map<Integer, Integer> tagsDrawn = new HashMap<>();
    private final Map<Key, Announcement> unexpected = new HashMap<>();
    private final Map<Key, Source> expected = new HashMap<>();
    private final Map<Integer, Ear> ears = new HashMap<>();

    /// The receive for the next announcement of a rank.
    private static final class Ear {
        final Transfer transfer;
        final MemorySegment words = Arena.ofAuto().allocate(Announcement.BYTES, 8);
        boolean active;

        /// Whether a thread is waiting in the engine. Other threads then wait for that thread.
        boolean awaited;

        Ear(Transfer transfer) {
            this.transfer = transfer;
        }
    }

    PartitionedChannels(Mpi mpi, CommPort port) {
        this.mpi = mpi;
        this.port = port;
    }

    /// Returns the key of the next send.
    synchronized Key nextSend(int dest, int tag) {
        return new Key(dest, tag, sends.merge(new Envelope(dest, tag), 1, Integer::sum));
    }

    /// Returns the sender that the next receive matches.
    synchronized Source nextReceive(int source, int tag) {
        Key key = new Key(source, tag, receives.merge(new Envelope(source, tag), 1, Integer::sum));
        Source made = new Source(key);
        made.announced = unexpected.remove(key);
        if (made.announced == null) expected.put(key, made);
        return made;
    }

    /// Returns the first of `partitions` consecutive tags for messages to a rank. Tags are reused after about
    /// 2^31 parts.
    synchronized int drawTags(int dest, int partitions) {
        int next = tagsDrawn.getOrDefault(dest, ANNOUNCEMENT_TAG + 1);
        if (next > Integer.MAX_VALUE - partitions) next = ANNOUNCEMENT_TAG + 1;
        tagsDrawn.put(dest, next + partitions);
        return next;
    }

    /// Returns the sender's announcement; null if it has not arrived. Never waits.
    @Nullable
    Announcement find(Source source) {
        Announcement a = source.announced;
        return a == null ? listenFor(source) : a;
    }

    private synchronized @Nullable Announcement listenFor(Source source) {
        Ear ear = ear(source.key);
        while (source.announced == null) {
            if (ear.awaited) return null;
            listen(ear, source.key);
            if (!mpi.engine("precvInit").test(ear.transfer)) return null;
            take(ear, source.key);
        }
        return source.announced;
    }

    /// Waits until the sender's announcement has arrived.
    void await(Source source) {
        boolean interrupted = false;
        while (true) {
            Ear ear;
            synchronized (this) {
                if (listenFor(source) != null) break;
                ear = ear(source.key);
                if (ear.awaited) {
                    interrupted |= pause();
                    continue;
                }
                ear.awaited = true;
            }
            try {
                mpi.engine("precvInit").await(ear.transfer);
            } finally {
                synchronized (this) {
                    ear.awaited = false;
                    notifyAll();
                }
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /// Waits on the monitor, which the caller holds. Returns whether the thread was interrupted.
    private boolean pause() {
        try {
            wait();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private Ear ear(Key key) {
        return ears.computeIfAbsent(
                key.peer, _ -> new Ear(mpi.engine("precvInit").transfer()));
    }

    private void listen(Ear ear, Key key) {
        if (ear.active) return;
        Transfer t = ear.transfer;
        t.fill("precvInit", port, Transfer.Kind.RECV, key.peer, ANNOUNCEMENT_TAG, ElementType.BYTE);
        t.lane = Transfer.Lane.PARTITIONED;
        mpi.engine("precvInit").start(t.at(new Memory.Native(ear.words), 0, Announcement.BYTES));
        ear.active = true;
    }

    private void take(Ear ear, Key key) {
        ear.active = false;
        EngineCalls.throwFailure(ear.transfer);
        Announcement a = Announcement.read(key.peer, ear.words);
        Source source = expected.remove(a.key);
        if (source == null) unexpected.put(a.key, a);
        else source.announced = a;
        notifyAll();
    }
}
