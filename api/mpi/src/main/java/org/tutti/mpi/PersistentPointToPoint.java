package org.tutti.mpi;

import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// The chapter of [Comm] on messages of typed data that are described once and started many times, whole or
/// in partitions. MPI 4.1, section 3.9 and chapter 4.
public abstract sealed class PersistentPointToPoint extends NonblockingPointToPoint permits ObjectCommunication {
    private final PartitionedChannels channels;

    PersistentPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
        channels = new PartitionedChannels(mpi, port);
    }

    // ---- persistent

    /// Describes a send in standard mode that is to be started many times: each start sends what is in `buf`
    /// then. Nothing is sent yet. Local. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final PersistentRequest sendInit(Buf buf, int dest, int tag) {
        return sendInit("sendInit", false, buf, dest, tag);
    }

    /// As [#sendInit], in synchronous mode; see [#ssend(Buf, int, int)]. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final PersistentRequest ssendInit(Buf buf, int dest, int tag) {
        return sendInit("ssendInit", true, buf, dest, tag);
    }

    /// As [#sendInit], in buffered mode; see [#bsend(Buf, int, int)]. A start completes it, and throws what a
    /// `bsend` throws. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final PersistentRequest bsendInit(Buf buf, int dest, int tag) {
        begin("bsendInit");
        checkSend("bsendInit", buf, dest, tag);
        return new PreparedRequest(mpi, "bsendInit", buf, Buf.NONE, null, () -> {
            checkOpen("bsendInit");
            checkRecords("bsendInit", buf, 0, buf.count(), port);
            if (dest != PROC_NULL) buffers.send("bsendInit", buf, dest, tag);
            return null;
        });
    }

    /// As [#sendInit], in ready mode; see [#rsend(Buf, int, int)]. MPI 4.1, section 3.9.
    ///
    /// @throws MpiException as [#send(Buf, int, int)]
    public final PersistentRequest rsendInit(Buf buf, int dest, int tag) {
        return sendInit("rsendInit", false, buf, dest, tag);
    }

    private PersistentRequest sendInit(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, operation, buf, Buf.NONE, null, () -> {
            checkOpen(operation);
            checkRecords(operation, buf, 0, buf.count(), port);
            if (dest == PROC_NULL) return null;
            t.fill(operation, port, Kind.SEND, dest, tag, buf.type().elements()).synchronous = synchronous;
            engine.start(buf.place(t));
            return t;
        });
    }

    /// Describes a receive that is to be started many times, each time into `buf`. Local. MPI 4.1, section
    /// 3.9.
    ///
    /// @throws MpiException as [#irecv(Buf, int, int)]
    public final PersistentRequest recvInit(Buf buf, int source, int tag) {
        EngineCalls engine = begin("recvInit");
        checkRecv("recvInit", buf, source, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, "recvInit", buf, buf, null, () -> {
            checkOpen("recvInit");
            if (source == PROC_NULL) return null;
            t.fill("recvInit", port, Kind.RECV, source, tag, buf.type().elements());
            engine.start(buf.place(t));
            return t;
        });
    }

    // ---- in parts

    /// Describes a message that will be sent in `partitions` parts of equal length, each as soon as
    /// [PartitionedSend#pready] says so, many times. Nothing is sent yet. Local. MPI 4.1, section 4.2.1.
    ///
    /// The n-th `psendInit` to a rank with a tag belongs to the n-th [#precvInit] there, from this rank with
    /// this tag, whatever is started first; with other messages it has nothing to do. Both sides pass as much
    /// data of the same type, and may divide it differently.
    ///
    /// @throws MpiException `ERR_ARG` when `partitions` is not positive; `ERR_COUNT` when the buffer's
    ///     elements are no multiple of it; `ERR_BUFFER` when it does not lie in one piece; `ERR_RANK`,
    ///     `ERR_TAG`
    public final PartitionedSend psendInit(Buf buf, int partitions, int dest, int tag) {
        EngineCalls engine = begin("psendInit");
        checkSend("psendInit", buf, dest, tag);
        checkPartitions("psendInit", buf, partitions);
        return new PartitionedSend(mpi, port, engine, buf, partitions, dest, channels, channels.nextSend(dest, tag));
    }

    /// Describes the receive of a message that [#psendInit] describes; `source` and `tag` are no wildcards.
    /// Local. MPI 4.1, section 4.2.1.
    ///
    /// @throws MpiException as [#psendInit]; `ERR_RANK` and `ERR_TAG` for wildcards. The request fails with
    ///     `ERR_MISMATCH`, at its start or its end, when the sender passed another amount of data
    public final PartitionedReceive precvInit(Buf buf, int partitions, int source, int tag) {
        EngineCalls engine = begin("precvInit");
        if (source == ANY_SOURCE) {
            throw MpiException.argument(
                    ErrorClass.ERR_RANK, "precvInit", "source=ANY_SOURCE, but partitions come from one rank", port);
        }
        checkTag("precvInit", tag);
        checkRecv("precvInit", buf, source, tag);
        checkPartitions("precvInit", buf, partitions);
        return new PartitionedReceive(mpi, port, engine, buf, partitions, channels, channels.nextReceive(source, tag));
    }

    private void checkPartitions(String operation, Buf buf, int partitions) {
        if (partitions < 1) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG, operation, "partitions=" + partitions + " is not positive", port);
        }
        if (buf.count() % partitions != 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    "the buffer's " + buf.count() + " elements are no multiple of partitions=" + partitions,
                    port);
        }
        if (buf.inPieces()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    operation,
                    "a boolean[], a matrix, pairs or memory of a device are copied on the way and cannot be sent in parts; use one"
                            + " array or segment of numbers",
                    port);
        }
    }
}
