package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;

/// Sends in buffered mode: a send is complete when the message has been copied, and the copy is sent later.
/// Memory for copies is allocated as needed, as with the standard's `MPI_BUFFER_AUTOMATIC`, and reused. MPI
/// 4.1, sections 3.4 and 3.6.
final class BufferedSends implements MessageBuffer {
    /// The number of copies that are tested when a new copy is made. It is more than one, so that completed
    /// copies are found faster than new copies are made.
    private static final int POLLS = 2;

    /// The maximum number of polls for the messages that are still in progress when the rank disconnects.
    private static final int LAST_POLLS = 10_000;

    private static final int SMALLEST = 256;

    /// A message's copy.
    private static final class Copy {
        final Transfer transfer;
        final MemorySegment room;
        final Memory memory;

        /// The sequence number of the message in this copy.
        long number;

        @Nullable
        Copy next;

        Copy(EngineCalls engine, long bytes) {
            transfer = engine.transfer();
            room = engine.allocate(bytes);
            memory = new Memory.Native(room);
        }
    }

    private final EngineCalls engine;

    /// The copies not in use, by size class; see [#sizeClass].
    private final @Nullable Copy[] free = new @Nullable Copy[4 * Long.SIZE];

    /// The list of active copies, least recently tested first.
    private @Nullable Copy first;

    private @Nullable Copy last;
    private long sent;
    private @Nullable Throwable failure;

    /// Held by the thread that waits for all copies; a thread that calls [#flush] later waits for the
    /// lock.
    private final ReentrantLock flushing = new ReentrantLock();

    /// The sequence number of the copy for which a thread is waiting; 0 if no thread is waiting. During the
    /// wait, this copy is in no list.
    private long flushed;

    BufferedSends(EngineCalls engine) {
        this.engine = engine;
    }

    @Override
    public void send(String operation, CommPort port, Buf buf, int dest, int tag) {
        Copy copy = take(buf.sizeBytes());
        buf.packInto(copy.room);
        start(copy, operation, port, buf.sizeBytes(), buf.datatype(), dest, tag);
    }

    @Override
    public void send(
            String operation, CommPort port, MemorySegment from, long bytes, Datatype type, int dest, int tag) {
        Copy copy = take(bytes);
        MemorySegment.copy(from, 0, copy.room, 0, bytes);
        start(copy, operation, port, bytes, type, dest, tag);
    }

    private void start(Copy copy, String operation, CommPort port, long bytes, Datatype type, int dest, int tag) {
        copy.transfer.fill(operation, port, Transfer.Kind.SEND, dest, tag, type.elements());
        engine.start(copy.transfer.at(copy.memory, 0, bytes));
        add(copy);
    }

    /// Returns the size class of a copy. Between two consecutive powers of two there are four size classes, at
    /// distances of a quarter of the lower power.
    private static int sizeClass(long bytes) {
        long most = Math.max(bytes, SMALLEST) - 1;
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(most);
        return 4 * power + (int) (most >>> (power - 2) & 3);
    }

    private static long classBytes(int sizeClass) {
        int power = sizeClass / 4;
        return (1L << power) + ((sizeClass % 4 + 1L) << (power - 2));
    }

    private synchronized Copy take(long bytes) {
        for (int i = 0; i < POLLS; i++) pollFirst();
        int sizeClass = sizeClass(bytes);
        Copy copy = free[sizeClass];
        if (copy == null) return new Copy(engine, classBytes(sizeClass));
        free[sizeClass] = copy.next;
        copy.next = null;
        return copy;
    }

    private synchronized void add(Copy copy) {
        copy.number = ++sent;
        if (copy.transfer.isDone()) giveBack(copy);
        else append(copy);
    }

    private void append(Copy copy) {
        if (last == null) first = copy;
        else last.next = copy;
        last = copy;
    }

    private @Nullable Copy removeFirst() {
        Copy copy = first;
        if (copy == null) return null;
        first = copy.next;
        if (first == null) last = null;
        copy.next = null;
        return copy;
    }

    /// Frees the first copy if it has been sent; otherwise moves it to the end of the list.
    private void pollFirst() {
        Copy copy = removeFirst();
        if (copy == null) return;
        if (engine.test(copy.transfer)) giveBack(copy);
        else append(copy);
    }

    private synchronized void giveBack(Copy copy) {
        if (failure == null) failure = copy.transfer.failure();
        int sizeClass = sizeClass(copy.room.byteSize());
        copy.next = free[sizeClass];
        free[sizeClass] = copy;
    }

    /// Removes the first copy from the list, so that the caller can wait for it.
    private synchronized @Nullable Copy poll() {
        Copy copy = removeFirst();
        flushed = copy == null ? 0 : copy.number;
        return copy;
    }

    private synchronized void throwFailure() {
        Throwable why = failure;
        failure = null;
        if (why != null) throw MpiException.asRuntime(why);
    }

    /// Waits until every copy has been sent, as `MPI_Buffer_flush` does.
    @Override
    public void flush() {
        flushing.lock();
        try {
            for (Copy copy = poll(); copy != null; copy = poll()) {
                engine.await(copy.transfer);
                giveBack(copy);
            }
        } finally {
            flushing.unlock();
        }
        throwFailure();
    }

    @Override
    public synchronized long sent() {
        return sent;
    }

    @Override
    public synchronized boolean holdsOfFirst(long count) {
        int under = 0;
        for (Copy copy = first; copy != null; copy = copy.next) under++;
        for (int i = 0; i < under; i++) pollFirst();
        for (Copy copy = first; copy != null; copy = copy.next) if (copy.number <= count) return true;
        return flushed != 0 && flushed <= count;
    }

    @Override
    public synchronized @Nullable String undeliverable() {
        int polls = LAST_POLLS;
        int count = 0;
        Transfer one = null;
        for (Copy copy = first; copy != null; copy = copy.next) {
            Transfer t = copy.transfer;
            while (!engine.test(t) && !engine.outlives(t) && polls-- > 0) Thread.yield();
            if (engine.test(t) || engine.outlives(t)) continue;
            count++;
            if (one == null) one = t;
        }
        if (one == null) return null;
        return onTheWay(count, one);
    }

    static String onTheWay(int count, Transfer one) {
        return (count == 1 ? "1 buffered message is" : count + " buffered messages are") + " still in progress, the"
                + " first: " + one.operation + "("
                + one.lengthBytes / one.type.basic().bytes() + " "
                + one.type.basic() + ", dest="
                + (one.peer - one.port().peerBase()) + ", tag=" + one.tag + "); call flushBuffers() first";
    }
}
