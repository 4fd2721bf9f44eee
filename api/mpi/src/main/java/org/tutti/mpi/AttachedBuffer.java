package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;

/// A buffer that the program attached for messages in buffered mode, used according to the standard's model
/// (MPI 4.1, section 3.6.1): a circular queue of contiguous messages, which are removed at the head.
///
///     0          head                     tail        length
///     |   free   | oldest │ …  │ youngest |   free    |
final class AttachedBuffer implements MessageBuffer {
    private static final long ALIGNMENT = 8;

    private static final class Entry {
        final Transfer transfer;
        long at;

        /// Whether a thread is waiting for this message in the engine.
        boolean awaited;

        Entry(Transfer transfer) {
            this.transfer = transfer;
        }
    }

    private final EngineCalls engine;
    private final MemorySegment segment;
    private final Memory memory;
    private final String owner;

    // the following fields are guarded by the monitor of this object
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final ArrayDeque<Entry> spare = new ArrayDeque<>();
    private long tail;
    private long sent;
    private boolean isRetired;
    private @Nullable Throwable failure;

    /// @param owner the owner of the buffer, as named in errors
    AttachedBuffer(EngineCalls engine, MemorySegment segment, String owner) {
        this.engine = engine;
        this.segment = segment;
        this.owner = owner;
        memory = Memory.of(segment);
    }

    MemorySegment segment() {
        return segment;
    }

    @Override
    public synchronized void send(String operation, CommPort port, Buf buf, int dest, int tag) {
        long bytes = buf.sizeBytes();
        long at = place(operation, port, bytes);
        buf.packInto(segment.asSlice(at, bytes));
        start(operation, port, at, bytes, buf.datatype(), dest, tag);
    }

    @Override
    public synchronized void send(
            String operation, CommPort port, MemorySegment from, long bytes, Datatype type, int dest, int tag) {
        long at = place(operation, port, bytes);
        MemorySegment.copy(from, 0, segment, at, bytes);
        start(operation, port, at, bytes, type, dest, tag);
    }

    private void start(String operation, CommPort port, long at, long bytes, Datatype type, int dest, int tag) {
        Entry entry = spare.pollLast();
        if (entry == null) entry = new Entry(engine.transfer());
        entry.at = at;
        Transfer t = entry.transfer.fill(operation, port, Transfer.Kind.SEND, dest, tag, type.elements());
        engine.start(t.at(memory, at, bytes));
        entries.addLast(entry);
        tail = at + taken(bytes);
        sent++;
    }

    /// Returns the space that a message occupies.
    private static long taken(long bytes) {
        return bytes + Comm.BSEND_OVERHEAD & -ALIGNMENT;
    }

    private long place(String operation, CommPort port, long bytes) {
        releaseHead();
        long at = place(taken(bytes));
        if (at < 0) throw full(operation, port, bytes);
        return at;
    }

    private MpiException full(String operation, CommPort port, long bytes) {
        return MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                "a message of " + bytes + " bytes needs " + (bytes + Comm.BSEND_OVERHEAD)
                        + " with BSEND_OVERHEAD, but of the " + segment.byteSize() + " bytes attached to " + owner
                        + " only " + largest()
                        + " contiguous bytes are free; attach a larger buffer, or flush it first",
                port);
    }

    /// Returns the offset of `wanted` contiguous free bytes, or -1 if no gap is large enough.
    private long place(long wanted) {
        if (entries.isEmpty()) return wanted <= segment.byteSize() ? 0 : -1;
        long head = entries.getFirst().at;
        if (tail <= head) return wanted <= head - tail ? tail : -1;
        if (wanted <= segment.byteSize() - tail) return tail;
        return wanted <= head ? 0 : -1;
    }

    private long largest() {
        if (entries.isEmpty()) return segment.byteSize();
        long head = entries.getFirst().at;
        return tail <= head ? head - tail : Math.max(head, segment.byteSize() - tail);
    }

    /// Removes the messages at the head that have been sent.
    private void releaseHead() {
        for (Entry e = entries.peekFirst(); e != null; e = entries.peekFirst()) {
            if (e.awaited || !engine.test(e.transfer)) return;
            if (failure == null) failure = e.transfer.failure();
            spare.addLast(entries.removeFirst());
        }
    }

    @Override
    public synchronized long sent() {
        return sent;
    }

    @Override
    public synchronized boolean holdsOfFirst(long count) {
        releaseHead();
        return sent - entries.size() < count;
    }

    /// Called when the communicator of the buffer has been closed; no further message is added.
    synchronized void retire() {
        isRetired = true;
    }

    /// Returns whether the communicator has been closed and all messages have been sent without a failure.
    synchronized boolean isUnused() {
        releaseHead();
        return isRetired && entries.isEmpty() && failure == null;
    }

    @Override
    public void flush() {
        for (Entry e = firstToAwait(); e != null; e = firstToAwait()) {
            try {
                engine.await(e.transfer);
            } finally {
                let(e);
            }
        }
        throwFailure();
    }

    /// Returns the first message and marks it as awaited; null if the buffer is empty. Waits while a different
    /// thread is waiting for the first message.
    private synchronized @Nullable Entry firstToAwait() {
        boolean interrupted = false;
        while (true) {
            releaseHead();
            Entry e = entries.peekFirst();
            if (e == null || !e.awaited) {
                if (e != null) e.awaited = true;
                if (interrupted) Thread.currentThread().interrupt();
                return e;
            }
            try {
                wait();
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
    }

    private synchronized void let(Entry e) {
        e.awaited = false;
        notifyAll();
    }

    private synchronized void throwFailure() {
        Throwable why = failure;
        failure = null;
        if (why != null) throw MpiException.asRuntime(why);
    }

    @Override
    public synchronized @Nullable String undeliverable() {
        releaseHead();
        int count = 0;
        Transfer one = null;
        for (Entry e : entries) {
            if (engine.test(e.transfer) || engine.outlives(e.transfer)) continue;
            count++;
            if (one == null) one = e.transfer;
        }
        return one == null ? null : BufferedSends.onTheWay(count, one);
    }
}
