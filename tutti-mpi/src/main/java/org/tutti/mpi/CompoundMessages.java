package org.tutti.mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.Memory;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// The page of [Comm] with requests that stand for several messages, exchanges and messages in parts, and
/// with the buffers of buffered mode. MPI 4.1, sections 3.6 and 3.10 and chapter 4.
abstract sealed class CompoundMessages extends NonblockingMessages permits ObjectCalls {
    private final PartitionedChannels channels;

    CompoundMessages(Mpi mpi, CommPort port) {
        super(mpi, port);
        channels = new PartitionedChannels(mpi, port);
    }

    // ---- both at once

    /// Begins to send `out` to `dest` with tag 0 and to receive into `in` from `source` with any tag; see
    /// the long form.
    public final Request isendrecv(Buf out, int dest, Buf in, int source) {
        return isendrecv(out, dest, 0, in, source, ANY_TAG);
    }

    /// Begins what [#sendrecv(Buf, int, int, Buf, int, int)] does. The request is complete when both halves
    /// are; its status is the receive's. Until then `out` must not be changed and `in` not be used. It
    /// cannot be cancelled. MPI 4.1, section 3.10.
    public final Request isendrecv(Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        begin("isendrecv");
        checkSend("isendrecv", out, dest, sendTag);
        checkRecv("isendrecv", in, source, recvTag);
        return exchange("isendrecv", null, out, dest, sendTag, in, source, recvTag);
    }

    /// Begins to send `buf` to `dest` with tag 0 and to receive into it from `source` with any tag; see the
    /// long form.
    public final Request isendrecvReplace(Buf buf, int dest, int source) {
        return isendrecvReplace(buf, dest, 0, source, ANY_TAG);
    }

    /// Begins what [#sendrecvReplace(Buf, int, int, int, int)] does: what is in `buf` now is copied and sent.
    /// Otherwise as [#isendrecv(Buf, int, int, Buf, int, int)]. MPI 4.1, section 3.10.
    public final Request isendrecvReplace(Buf buf, int dest, int sendTag, int source, int recvTag) {
        begin("isendrecvReplace");
        checkSend("isendrecvReplace", buf, dest, sendTag);
        checkRecv("isendrecvReplace", buf, source, recvTag);
        Memory copy = null;
        if (dest != PROC_NULL) {
            copy = Memory.of(MemorySegment.ofArray(new long[Math.toIntExact((buf.lengthBytes() + 7) / 8)]));
            buf.packInto(copy.segment());
        }
        return exchange("isendrecvReplace", copy, buf, dest, sendTag, buf, source, recvTag);
    }

    // ---- buffers for bsend

    /// What a message in buffered mode takes of an attached buffer, at most, beside its own bytes. MPI 4.1,
    /// section 3.6.
    public static final int BSEND_OVERHEAD = 64;

    /// From now on, this communicator's messages in buffered mode lie in a buffer of so many bytes, until
    /// [#detachBuffer]: then a program cannot take more memory for them. It holds messages of `bytes`
    /// bytes in total, with [#BSEND_OVERHEAD] for each, and more as they leave it. Without one, those of
    /// [Mpi#attachBuffer] are used, and without that, memory is found as it is needed
    /// (`MPI_BUFFER_AUTOMATIC`). Local. `MPI_Comm_attach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached, `ERR_ARG` when `bytes` is negative
    public final void attachBuffer(long bytes) {
        begin("attachBuffer");
        buffers.attach(bytes);
    }

    /// As [#attachBuffer(long)], in this memory, which the program leaves alone until [#detachBuffer].
    ///
    /// @throws MpiException `ERR_BUFFER` when one is attached, or it is read-only
    public final void attachBuffer(MemorySegment buffer) {
        begin("attachBuffer");
        buffers.attach(buffer);
    }

    /// Waits until every message was sent out of this communicator's buffer, and gives it back.
    /// `MPI_Comm_detach_buffer`, MPI 4.1, section 3.6.
    ///
    /// @throws MpiException `ERR_BUFFER` when none is attached
    public final MemorySegment detachBuffer() {
        begin("detachBuffer");
        return buffers.detach();
    }

    /// Waits until every message that lies where this communicator's buffered messages go was sent on.
    /// `MPI_Comm_flush_buffer`, MPI 4.1, section 3.6.
    public final void flushBuffer() {
        begin("flushBuffer");
        buffers.target().flush();
    }

    /// A request for what [#flushBuffer] waits for. `MPI_Comm_iflush_buffer`, MPI 4.1, section 3.6.
    public final Request iflushBuffer() {
        begin("iflushBuffer");
        return buffers.iflush("iflushBuffer");
    }

    // ---- in parts

    /// Describes a message that will be sent in `partitions` parts of equal length, each as soon as
    /// [PartitionedSend#pready] says so, many times. Nothing is sent yet, and nobody is waited for. MPI
    /// 4.1, section 4.2.1.
    ///
    /// The n-th `psendInit` to a rank with a tag belongs to the n-th [#precvInit] there, from this rank
    /// with this tag, whatever is started first; with other messages it has nothing to do. Both sides
    /// pass as much data of the same type, and may divide it differently.
    ///
    /// @throws MpiException `ERR_ARG` when `partitions` is not positive, `ERR_COUNT` when the buffer's
    ///     elements are no multiple of it, `ERR_BUFFER` when it does not lie in one piece
    public final PartitionedSend psendInit(Buf buf, int partitions, int dest, int tag) {
        EngineCalls engine = begin("psendInit");
        checkSend("psendInit", buf, dest, tag);
        checkPartitions("psendInit", buf, partitions);
        return new PartitionedSend(mpi, port, engine, buf, partitions, dest, channels, channels.nextSend(dest, tag));
    }

    /// Describes the receive of such a message; `source` and `tag` are no wildcards. See [#psendInit].
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
        if (buf.hasGaps()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    operation,
                    "data of a derived type with gaps cannot be sent in parts yet; use one array or segment of numbers",
                    port);
        }
        if (buf.inPieces()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    operation,
                    "a boolean[], a matrix or pairs are copied on the way and cannot be sent in parts; use one"
                            + " array or segment of numbers",
                    port);
        }
    }

    /// With a `copy`, only count and type of `out` are looked at: its data lies there, packed.
    private Request exchange(
            String operation, @Nullable Memory copy, Buf out, int dest, int sendTag, Buf in, int source, int recvTag) {
        EngineCalls engine = mpi.engine(operation);
        Scratch scratch = mpi.scratch();
        Transfer send = null;
        // what cannot be packed is found before anything is received
        if (dest != PROC_NULL) {
            send = scratch.take()
                    .fill(operation, port, Kind.SEND, dest, sendTag, out.type().elements());
            send = copy == null ? out.place(send) : send.at(copy, 0, out.lengthBytes());
        }
        Transfer receive = null;
        if (source != PROC_NULL) {
            receive = scratch.take()
                    .fill(operation, port, Kind.RECV, source, recvTag, in.type().elements());
            engine.start(in.place(receive));
        }
        if (send != null) engine.start(send);
        if (send == null && receive == null) return new Request(mpi, out, Status.nobody());
        return new ExchangeRequest(mpi, out, in, send, receive);
    }
}
