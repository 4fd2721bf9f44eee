package org.tutti.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.LocalWait;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A message that is sent in parts. [Comm#psendInit] creates it. Each part is sent as soon as [#pready] is
/// called for this part. Several threads may call `pready` concurrently.
///
///     try (PartitionedSend s = world.psendInit(buf(x), 4, 1, 0)) {
///         s.start();
///         for (int i = 0; i < 4; i++) { fill(x, i); s.pready(i); }
///         s.await();
///     }
///
/// The request is complete when two conditions hold: `pready` has been called for all parts in this round, and
/// the buffer can be reused. MPI 4.1, sections 4.2.1 and 4.2.2.
public final class PartitionedSend extends PersistentRequest {
    /// The maximum number of partitions that an error message lists.
    private static final int MOST_SHOWN = 8;

    private final CommHandle comm;
    private final CommPort port;
    private final PartitionedChannels.Data data;
    private final ElementType type;
    private final int dest;
    private final int tag;
    private final int firstTag;
    private final Transfer[] parts;
    private final long partBytes;

    /// The announcement for the receiver in the first round; null after it has been sent.
    private @Nullable Transfer announcement;

    /// For each part: 2r-1 if it was last marked as ready in round r, and 2r as soon as it is being sent in
    /// round r.
    private final AtomicIntegerArray readyIn;

    /// The number of the current round, or, between two rounds, of the last round.
    private final AtomicInteger round = new AtomicInteger();

    /// The number of parts that are being sent in this round.
    private final AtomicInteger started = new AtomicInteger();

    /// The part for which the request waits.
    private int next;

    private @Nullable Throwable partFailure;

    private final Readiness readiness = new Readiness();

    PartitionedSend(
            CommHandle comm,
            EngineCalls engine,
            Buf buf,
            int partitions,
            int dest,
            PartitionedChannels channels,
            PartitionedChannels.Key key) {
        super(comm.mpi, "psendInit", buf, Buf.NONE, Status.empty());
        this.comm = comm;
        port = comm.port;
        data = PartitionedChannels.Data.of(buf);
        this.type = buf.datatype().elements();
        this.dest = dest;
        this.tag = key.tag();
        partBytes = buf.sizeBytes() / partitions;
        readyIn = new AtomicIntegerArray(partitions);
        started.set(partitions);
        boolean ofNullProcess = dest == Comm.PROC_NULL;
        parts = new Transfer[ofNullProcess ? 0 : partitions];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = engine.transfer().fill(operation, port, Transfer.Kind.SEND, dest, tag, type);
        }
        firstTag = ofNullProcess ? 0 : channels.drawTags(dest, partitions);
        if (!ofNullProcess) announcement = announce(engine.transfer(), key, partitions);
    }

    private Transfer announce(Transfer t, PartitionedChannels.Key key, int partitions) {
        MemorySegment words = Arena.ofAuto().allocate(PartitionedChannels.Announcement.BYTES, 8);
        new PartitionedChannels.Announcement(key, firstTag, partitions, partBytes).write(words);
        t.fill(operation, port, Transfer.Kind.SEND, dest, PartitionedChannels.ANNOUNCEMENT_TAG, ElementType.BYTE);
        t.lane = Transfer.Lane.PARTITIONED;
        return t.at(new Memory.Native(words), 0, words.byteSize());
    }

    /// Returns the sender's number of parts. Local. MPI 4.1, section 4.2.1.
    public int partitions() {
        return readyIn.length();
    }

    @Override
    @Nullable
    Activity launch() {
        comm.checkOpen(operation);
        Transfer first = announcement;
        if (first != null && round.get() == 0) mpi.engine(operation).start(first);
        next = 0;
        partFailure = null;
        started.set(0);
        round.incrementAndGet();
        return parts.length == 0 ? null : parts[0];
    }

    /// Marks part `partition` as ready to be sent. The part must not be changed until the request is complete.
    /// Local; returns immediately. `MPI_Pready`, MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException `ERR_ARG` if the part does not exist; `ERR_REQUEST` if the request is not active,
    ///     or if the part has already been marked in this round
    public void pready(int partition) {
        checkRange("pready", partition, partition);
        ready("pready", partition);
    }

    /// Marks parts `first` to `last` (inclusive) as ready to be sent; see [#pready]. Local. `MPI_Pready_range`,
    /// MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException as [#pready]; if a part does not exist, no part is sent
    public void preadyRange(int first, int last) {
        checkRange("preadyRange", first, last);
        for (int i = first; i <= last; i++) ready("preadyRange", i);
    }

    /// Marks these parts as ready to be sent; see [#pready]. Local. `MPI_Pready_list`, MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException as [#preadyRange]
    public void preadyList(int... partitions) {
        for (int i : partitions) checkRange("preadyList", i, i);
        for (int i : partitions) ready("preadyList", i);
    }

    private void checkRange(String name, int first, int last) {
        int n = partitions();
        if (first < 0 || first >= n) throw none(name, first);
        if (last < 0 || last >= n) throw none(name, last);
        if (last < first) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, name, "first=" + first + " is greater than last=" + last, port);
        }
    }

    private MpiException none(String name, int partition) {
        return MpiException.argument(
                ErrorClass.ERR_ARG, name, "partition=" + partition + " is not in 0 to " + (partitions() - 1), port);
    }

    private void ready(String name, int partition) {
        EngineCalls engine = mpi.engine(name);
        int now = round.get();
        int before = readyIn.get(partition);
        boolean again = before >= 2 * now - 1;
        // all parts are being sent, or the last round is complete
        if (started.get() == partitions() && again) {
            throw now == 0 || isOver()
                    ? refused(name, "partition=" + partition + " of a request that is not active; start it first")
                    : twice(name, partition);
        }
        if (again || !readyIn.compareAndSet(partition, before, 2 * now - 1)) throw twice(name, partition);
        if (parts.length > 0) {
            Transfer t = parts[partition];
            t.fill("pready", port, Transfer.Kind.SEND, dest, firstTag + partition, type);
            t.lane = Transfer.Lane.PARTITIONED;
            engine.start(data.place(t, partition * partBytes, partBytes));
        }
        readyIn.set(partition, 2 * now);
        started.incrementAndGet();
    }

    private MpiException twice(String name, int partition) {
        return refused(name, "partition=" + partition + " was already marked ready since the request was started");
    }

    private MpiException refused(String name, String why) {
        return MpiException.argument(ErrorClass.ERR_REQUEST, name, why, port);
    }

    @Override
    boolean isLast() {
        return false;
    }

    @Override
    @Nullable
    Activity after(Activity done) {
        if (partFailure == null) partFailure = done.failure();
        if (++next < parts.length) return parts[next];
        return next == parts.length && round.get() == 1 ? announcement : null;
    }

    @Override
    void release(Activity a) {
        if (partFailure != null) fail(MpiException.seenByCaller(partFailure));
    }

    @Override
    boolean pollNow() {
        if (isReady()) return super.pollNow();
        // parts in transit may need progress; other parts are not tested, because a concurrent call may be
        // starting them
        for (int i = 0; i < parts.length; i++) {
            if (readyIn.get(i) == 2 * round.get() && !mpi.engine(operation).test(parts[i])) break;
        }
        return false;
    }

    @Override
    void awaitNow(String operationOfWait) {
        if (!isReady()) {
            String word = operationOfWait.isEmpty() ? "await" : operationOfWait;
            readiness.operation = word;
            mpi.engine(word).await(readiness);
        }
        super.awaitNow(operationOfWait);
    }

    private boolean isReady() {
        return isOver() || started.get() == partitions();
    }

    /// The wait for parts that other threads have not marked yet. A thread that marks a part does not wake the
    /// waiting thread.
    private final class Readiness implements LocalWait {
        private String operation = "await";

        @Override
        public String operation() {
            return operation;
        }

        @Override
        public String what() {
            return operation + " of " + PartitionedSend.this + " on " + port.name();
        }

        @Override
        public boolean isOver() {
            pollNow();
            return isReady();
        }

        @Override
        public boolean completesByMessages() {
            return false;
        }
    }

    @Override
    boolean waitsForProgram() {
        return started.get() < partitions();
    }

    @Override
    boolean isPending() {
        return !isOver();
    }

    @Override
    boolean isUnfinished(EngineCalls engine) {
        if (isOver()) return false;
        if (started.get() < partitions()) return true;
        for (Transfer t : parts) if (!engine.test(t)) return true;
        return false;
    }

    /// Has no effect, because some parts may have been sent or have arrived.
    @Override
    void cancelNow() {}

    @Override
    public String toString() {
        if (isOver()) return super.toString();
        return "psendInit(" + shown() + " in " + partitions() + " partitions, dest=" + dest + ", tag=" + tag + ", "
                + notReady() + ")";
    }

    /// Describes the missing parts, for example `partitions 2, 3 not ready`.
    private String notReady() {
        int now = 2 * round.get();
        int[] missing = IntStream.range(0, partitions())
                .filter(i -> readyIn.get(i) != now)
                .toArray();
        if (missing.length == 0) return "all ready";
        String some = IntStream.of(missing)
                .limit(MOST_SHOWN)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(", "));
        return (missing.length == 1 ? "partition " : "partitions ")
                + some
                + (missing.length > MOST_SHOWN ? " and " + (missing.length - MOST_SHOWN) + " more" : "")
                + " not ready";
    }
}
