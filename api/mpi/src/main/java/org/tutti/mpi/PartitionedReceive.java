package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.PartitionedChannels.Announcement;
import org.tutti.mpi.engine.ProgressThread;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.type.ElementType;

/// A message that is received in parts. [Comm#precvInit] creates it. [#parrived] returns whether a part has
/// arrived; several threads may call this method concurrently, even during a wait for the complete message. The
/// number of parts may differ from the sender's number.
///
/// The request is complete when all parts have arrived; the status contains the total length. MPI 4.1, sections
/// 4.2.1 and 4.2.2.
public final class PartitionedReceive extends PersistentRequest {
    private final CommHandle comm;
    private final CommPort port;
    private final PartitionedChannels channels;
    private final PartitionedChannels.Source source;
    private final PartitionedChannels.Key key;
    private final PartitionedChannels.Data data;
    private final ElementType type;
    private final int partitions;
    private final long partBytes;

    /// A placeholder for the messages. It is used until the announcement arrives, because the number of
    /// messages is unknown until then.
    private final Transfer unknown;

    /// One transfer for each part of the sender; empty until the announcement arrives. The array is replaced
    /// once.
    private volatile Transfer[] parts = {};

    private @Nullable Announcement sender;

    /// The error if the sender has passed a different amount of data. Every start of the request then fails
    /// with this exception.
    private @Nullable MpiException mismatch;

    /// Whether the receives of this round have been posted. The parts are started and tested only under the
    /// monitor of this object.
    private boolean posted;

    private boolean awaited;

    PartitionedReceive(
            CommHandle comm,
            EngineCalls engine,
            Buf buf,
            int partitions,
            PartitionedChannels channels,
            PartitionedChannels.Source source) {
        super(comm.mpi, "precvInit", buf, Buf.NONE, Status.ofNullProcess());
        this.comm = comm;
        port = comm.port;
        this.channels = channels;
        this.source = source;
        key = source.key;
        data = PartitionedChannels.Data.of(buf);
        this.type = buf.datatype().elements();
        this.partitions = partitions;
        partBytes = buf.sizeBytes() / partitions;
        unknown = engine.transfer();
        unknown.operation = operation;
        unknown.comm = port;
    }

    /// Returns the receiver's number of parts. Local. MPI 4.1, section 4.2.1.
    public int partitions() {
        return partitions;
    }

    @Override
    @Nullable
    Activity launch() {
        comm.checkOpen(operation);
        if (key.peer() == Comm.PROC_NULL) return null;
        synchronized (this) {
            posted = false;
            if (isPosted()) return parts[0];
        }
        // this rank may be in a later call when the sender waits for this rank, so the progress thread receives
        // the announcement
        mpi.progress(operation).add(new Listener());
        return unknown;
    }

    /// Polls without waiting. Returns whether part `partition` has arrived and can be used; true for an
    /// inactive request. Local. `MPI_Parrived`, MPI 4.1, section 4.2.2.
    ///
    /// @throws MpiException `ERR_ARG` if the part does not exist; the failure of the message
    public boolean parrived(int partition) {
        EngineCalls engine = mpi.engine("parrived");
        if (partition < 0 || partition >= partitions) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "parrived",
                    "partition=" + partition + " is not in 0 to " + (partitions - 1),
                    port);
        }
        if (isOver()) return true;
        synchronized (this) {
            if (!isPosted()) return false;
            Announcement s = sender;
            if (s == null) throw new IllegalStateException("parts without a sender");
            if (partBytes == 0) return true;
            int from = (int) (partition * partBytes / s.partBytes());
            int to = (int) (((partition + 1) * partBytes - 1) / s.partBytes());
            for (int i = from; i <= to; i++) {
                Transfer t = parts[i];
                if (!t.isDone() && (awaited || !engine.test(t))) return false;
                EngineCalls.throwFailure(t);
            }
            return true;
        }
    }

    /// Posts the receives if the announcement has arrived. Returns whether the receives have been posted. The
    /// caller holds the monitor.
    private boolean isPosted() {
        if (posted) return true;
        Announcement s = sender;
        if (s == null) {
            s = channels.find(source);
            if (s == null) return false;
            checkAmount(s);
            EngineCalls engine = mpi.engine(operation);
            Transfer[] all = new Transfer[s.partitions()];
            for (int i = 0; i < all.length; i++) all[i] = engine.transfer();
            sender = s;
            parts = all;
        }
        EngineCalls engine = mpi.engine(operation);
        for (int i = 0; i < parts.length; i++) {
            Transfer t = parts[i];
            t.fill(operation, port, Transfer.Kind.RECV, key.peer(), s.firstTag() + i, type);
            t.lane = Transfer.Lane.PARTITIONED;
            engine.start(data.place(t, i * s.partBytes(), s.partBytes()));
        }
        posted = true;
        return true;
    }

    private void checkAmount(Announcement s) {
        if (s.partitions() * s.partBytes() == partitions * partBytes) return;
        mismatch = MpiException.job(
                ErrorClass.ERR_MISMATCH,
                operation,
                port.describeRank(port.peerBase() + key.peer()) + " sends " + s.partitions() + " partitions of "
                        + s.partBytes()
                        + " bytes with tag " + key.tag() + ", but this receive has " + partitions + " of " + partBytes
                        + "; make the total lengths equal",
                port);
        throw mismatch;
    }

    @Override
    void release(Activity a) {
        if (mismatch != null) fail(mismatch);
    }

    @Override
    @Nullable
    Activity awaited() {
        if (isOver()) return null;
        for (Transfer t : parts) if (!t.isDone()) return t;
        return unknown;
    }

    @Override
    synchronized boolean waitsForProgram() {
        return !posted;
    }

    @Override
    boolean pollNow() {
        if (isOver()) return true;
        if (!isHere()) return false;
        finish(last());
        return true;
    }

    /// Returns whether the wait is over.
    private synchronized boolean isHere() {
        try {
            if (!isPosted()) return false;
        } catch (MpiException e) {
            if (mismatch == null) throw e;
            return true;
        }
        EngineCalls engine = mpi.engine(operation);
        for (Transfer t : parts) if (!engine.test(t)) return false;
        return true;
    }

    @Override
    void awaitNow(String operationOfWait) {
        if (isOver()) return;
        EngineCalls engine = mpi.engine(operationOfWait.isEmpty() ? operation : operationOfWait);
        while (true) {
            synchronized (this) {
                if (isHere()) break;
                if (posted) {
                    awaited = true;
                    break;
                }
            }
            channels.await(source);
        }
        try {
            for (Transfer t : parts) engine.await(t);
        } finally {
            synchronized (this) {
                awaited = false;
            }
        }
        finish(last());
    }

    /// Returns the part that determines the result: a failed part if one exists, otherwise the last part.
    private Transfer last() {
        for (Transfer t : parts) if (t.failure() != null) return t;
        return parts.length == 0 ? unknown : parts[parts.length - 1];
    }

    @Override
    Status statusOf(Transfer t) {
        return new Status(key.peer(), key.tag(), type.withoutGaps(partitions * partBytes), type, false);
    }

    @Override
    boolean isPending() {
        return !isOver();
    }

    @Override
    boolean isUnfinished(EngineCalls engine) {
        return !isOver() && !isHere();
    }

    /// Has no effect, because some parts may have been sent or have arrived.
    @Override
    void cancelNow() {}

    @Override
    public String toString() {
        if (isOver()) return super.toString();
        return "precvInit(" + shown() + " in " + partitions + " partitions, source=" + key.peer() + ", tag=" + key.tag()
                + ")";
    }

    /// Posts the receives of the first round, even if this rank is in a different call while the sender waits.
    private final class Listener implements ProgressThread.Task {
        @Override
        public boolean poll() {
            synchronized (PartitionedReceive.this) {
                return isPosted();
            }
        }

        @Override
        public void notifyCompletion() {}

        @Override
        public void fail(Throwable why) {
            // a wait for the request throws the same failure
        }
    }
}
