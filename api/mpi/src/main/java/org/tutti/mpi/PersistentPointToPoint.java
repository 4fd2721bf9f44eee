package org.tutti.mpi;

import org.tutti.spi.CommPort;
import org.tutti.spi.Transfer;
import org.tutti.spi.Transfer.Kind;

/// Messages of typed data that are described once and started repeatedly, either as complete messages or in
/// partitions. MPI 4.1, section 3.9 and chapter 4.
abstract sealed class PersistentPointToPoint extends NonblockingPointToPoint permits ObjectCommunication {
    private final PartitionedChannels channels;

    PersistentPointToPoint(Mpi mpi, CommPort port) {
        super(mpi, port);
        channels = new PartitionedChannels(mpi, port);
    }

    @Override
    public PersistentRequest sendInit(Buf buf, int dest, int tag) {
        return sendInit("sendInit", false, buf, dest, tag);
    }

    @Override
    public PersistentRequest ssendInit(Buf buf, int dest, int tag) {
        return sendInit("ssendInit", true, buf, dest, tag);
    }

    @Override
    public PersistentRequest bsendInit(Buf buf, int dest, int tag) {
        begin("bsendInit");
        checkSend("bsendInit", buf, dest, tag);
        return new PreparedRequest(mpi, "bsendInit", buf, Buf.NONE, null, Status.empty(), () -> {
            checkOpen("bsendInit");
            Arguments.checkRecords("bsendInit", buf, 0, buf.count(), port);
            if (dest != PROC_NULL) buffers.send("bsendInit", buf, dest, tag);
            return null;
        });
    }

    @Override
    public PersistentRequest rsendInit(Buf buf, int dest, int tag) {
        return sendInit("rsendInit", false, buf, dest, tag);
    }

    private PersistentRequest sendInit(String operation, boolean synchronous, Buf buf, int dest, int tag) {
        EngineCalls engine = begin(operation);
        checkSend(operation, buf, dest, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, operation, buf, Buf.NONE, null, Status.empty(), () -> {
            checkOpen(operation);
            Arguments.checkRecords(operation, buf, 0, buf.count(), port);
            if (dest == PROC_NULL) return null;
            t.fill(operation, port, Kind.SEND, dest, tag, buf.datatype().elements()).synchronous = synchronous;
            engine.start(buf.place(t));
            return t;
        });
    }

    @Override
    public PersistentRequest recvInit(Buf buf, int source, int tag) {
        EngineCalls engine = begin("recvInit");
        checkRecv("recvInit", buf, source, tag);
        Transfer t = engine.transfer();
        return new PreparedRequest(mpi, "recvInit", buf, buf, null, Status.ofNullProcess(), () -> {
            checkOpen("recvInit");
            if (source == PROC_NULL) return null;
            t.fill("recvInit", port, Kind.RECV, source, tag, buf.datatype().elements());
            engine.start(buf.place(t));
            return t;
        });
    }

    // ---- in parts

    @Override
    public PartitionedSend psendInit(Buf buf, int partitions, int dest, int tag) {
        EngineCalls engine = begin("psendInit");
        checkSend("psendInit", buf, dest, tag);
        checkPartitions("psendInit", buf, partitions);
        return new PartitionedSend(this, engine, buf, partitions, dest, channels, channels.nextSend(dest, tag));
    }

    @Override
    public PartitionedReceive precvInit(Buf buf, int partitions, int source, int tag) {
        EngineCalls engine = begin("precvInit");
        if (source == ANY_SOURCE) {
            throw MpiException.argument(
                    ErrorClass.ERR_RANK,
                    "precvInit",
                    "source=ANY_SOURCE is not possible for a partitioned receive; pass a rank",
                    port);
        }
        checkTag("precvInit", tag);
        checkRecv("precvInit", buf, source, tag);
        checkPartitions("precvInit", buf, partitions);
        return new PartitionedReceive(this, engine, buf, partitions, channels, channels.nextReceive(source, tag));
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
                    "the buffer's " + buf.count() + " elements are not a multiple of partitions=" + partitions,
                    port);
        }
        if (buf.inPieces()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER,
                    operation,
                    "a boolean[], a matrix, pairs and device memory are copied and cannot be sent in parts; use one"
                            + " array or segment of numbers",
                    port);
        }
    }
}
