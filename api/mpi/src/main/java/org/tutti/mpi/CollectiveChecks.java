package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Collective.BlockLayout;
import org.tutti.spi.CommPort;
import org.tutti.spi.type.ElementType;

/// Checks, before data is sent, the arguments that this rank passes to a collective call.
final class CollectiveChecks {
    final CommPort port;

    CollectiveChecks(CommPort port) {
        this.port = port;
    }

    /// Returns the root's rank in the [CommPort]. For an intercommunicator, `PROC_NULL` is returned unchanged.
    int root(String operation, int root) {
        if (root >= 0 && root < port.peerSize()) return port.peerBase() + root;
        String no = " is not a rank of ";
        if (port.isInter()) {
            if (root == Comm.ROOT) return port.rank();
            if (root == Comm.PROC_NULL) return root;
            no = " is not ROOT, PROC_NULL or a rank of the remote group of ";
        }
        throw MpiException.argument(
                ErrorClass.ERR_ROOT,
                operation,
                "root=" + root + no + port.name() + ", which has ranks 0 to " + (port.peerSize() - 1)
                        + (port.isInter() ? "; " + CallSignature.ROOT_OF_TWO_GROUPS : ""),
                port);
    }

    /// Checks that a call on an intercommunicator is not in place: a rank receives the data of the remote
    /// group, so the rank's own data is never a part of the result.
    void notInPlace(String operation, Buf buf) {
        if (buf != Buf.IN_PLACE) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                "IN_PLACE is not allowed, because " + port.name() + " is an intercommunicator; pass two buffers",
                port);
    }

    /// Checks that `IN_PLACE` is passed only at the root.
    void placeOfRoot(String operation, Buf buf, int root) {
        if (buf != Buf.IN_PLACE || port.rank() == root) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, "IN_PLACE is allowed only on the root, rank " + root, port);
    }

    void op(String operation, Op op, Datatype type) {
        Arguments.given(operation, "op", op, port);
        if (op.supports(type)) return;
        throw MpiException.argument(ErrorClass.ERR_OP, operation, op.undefinedFor(type), port);
    }

    /// Checks a buffer with data to be sent.
    void data(String operation, String name, Buf buf) {
        place(operation, name, buf);
        Arguments.checkRecords(operation, buf, 0, buf.count(), port);
    }

    /// Checks the part of a receive buffer that a call in place sends.
    void dataInPlace(String operation, Buf buf, long from, long count) {
        Arguments.checkRecords(operation, buf, from, count, port);
    }

    private void place(String operation, String name, Buf buf) {
        Arguments.given(operation, name, buf, port);
        if (buf.isPlace()) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER, operation, name + " is " + buf + " on a rank that must pass a buffer", port);
    }

    /// Checks a buffer into which data is received.
    void target(String operation, String name, Buf buf) {
        place(operation, name, buf);
        if (buf.isReadOnly()) {
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "the receive buffer is read-only", port);
        }
        if (buf.overlaps()) throw Arguments.overlap(operation, port);
    }

    /// Checks that `recv` can store a result with the length of `operand`. In a call in place, the two are the
    /// same buffer.
    void result(String operation, Buf operand, Buf recv) {
        data(operation, operand == recv ? "recv" : "send", operand);
        target(operation, "recv", recv);
        sameType(operation, operand, recv);
        if (recv.sizeBytes() < operand.sizeBytes()) {
            throw MpiException.argument(
                    ErrorClass.ERR_BUFFER, operation, "recv holds " + recv + " but send holds " + operand, port);
        }
    }

    /// Checks that the send buffer shares no memory with the first `recvBytes` bytes of the receive buffer.
    void disjoint(String operation, Buf send, Buf recv, long recvBytes) {
        if (send == Buf.IN_PLACE || recv == Buf.IN_PLACE) return;
        if (send.blocks() != null) return; // received data may be stored between the blocks
        BlockLayout blocks = recv.blocks();
        if (blocks == null) {
            Arguments.checkDisjoint(operation, send, send.sizeBytes(), recv, recvBytes, port);
            return;
        }
        if (!Arguments.overlap(send, send.sizeBytes(), recv, 0, recv.sizeBytes())) return;
        long element = recv.datatype().elements().size();
        for (int b = 0; b < blocks.counts().length; b++) {
            long from = blocks.displacement(b) * element, bytes = blocks.count(b) * element;
            if (Arguments.overlap(send, send.sizeBytes(), recv, from, bytes))
                Arguments.checkDisjoint(operation, send, send.sizeBytes(), recv, recv.sizeBytes(), port);
        }
    }

    void sameType(String operation, Buf send, Buf recv) {
        if (send.datatype() == recv.datatype()) return;
        throw MpiException.argument(ErrorClass.ERR_TYPE, operation, "send is " + send + " but recv is " + recv, port);
    }

    /// Checks that the elements of the two buffers consist of the same predefined type, or that both types
    /// combine several predefined types.
    void sameBasicType(String operation, Buf send, Buf recv) {
        if (send.datatype().elements().basic() == recv.datatype().elements().basic()) return;
        throw MpiException.argument(ErrorClass.ERR_TYPE, operation, "send is " + send + " but recv is " + recv, port);
    }

    /// Returns the number of elements in each block of a buffer that is divided into equal blocks, one for
    /// every rank. Returns 0 if the program has described the blocks with [Buf#blocks(int...)].
    long each(String operation, String name, Buf buf) {
        return each(operation, name, buf, port.peerSize(), "ranks");
    }

    /// Like [#each(String, String, Buf)], with one block for each of `many` ranks or neighbors.
    long each(String operation, String name, Buf buf, int many, String receivers) {
        BlockLayout blocks = buf.blocks();
        if (blocks == null) {
            if (buf.count() % many == 0) return buf.count() / many;
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    name + " holds " + buf.count() + " elements, not a multiple of the " + many + " " + receivers
                            + "; use blocks(…) for blocks of different size",
                    port);
        }
        if (blocks.counts().length != many) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    name + " has " + blocks.counts().length + " blocks for " + many + " " + receivers,
                    port);
        }
        return 0;
    }

    /// Like [#each(String, String, Buf)], with one block for every rank of the caller's group.
    long eachLocal(String operation, String name, Buf buf) {
        return each(operation, name, buf, port.localSize(), "ranks");
    }

    /// Returns the number of elements of this rank's block in a buffer with one block for every rank.
    long own(long each, @Nullable BlockLayout blocks) {
        return blocks == null ? each : blocks.count(port.localRank());
    }

    /// Checks that `buf` has the type and exactly the length of this rank's block in `blocks`; this block has
    /// `mine` elements.
    void ownBlock(String operation, String name, Buf buf, long mine, String blocksName, Buf blocks) {
        boolean asLong = buf.sizeBytes() == mine * blocks.datatype().elements().size();
        boolean alike = buf.matches(blocks, buf.sizeBytes());
        if (asLong && alike) return;
        throw MpiException.argument(
                alike ? ErrorClass.ERR_COUNT : ErrorClass.ERR_TYPE,
                operation,
                name + " holds " + buf + " but this rank's block in " + blocksName + " is " + mine + " "
                        + blocks.datatype()
                        + (alike && blocks.blocks() == null
                                ? "; use " + blocksName + ".blocks(…) for blocks of different size"
                                : ""),
                port);
    }

    /// Checks that, in an alltoall, this rank sends to itself as many elements as it receives from itself.
    void toMyself(String operation, long sent, long received, ElementType type) {
        if (sent == received) return;
        throw MpiException.argument(
                ErrorClass.ERR_COUNT,
                operation,
                "this rank's block for itself is " + sent + " " + type + " in send but " + received + " in recv",
                port);
    }

    /// Checks that there is one buffer for each of `many` ranks or neighbors.
    void parts(String operation, String name, Buf @Nullable [] bufs, int many, String receivers) {
        if (bufs == null || bufs.length != many) {
            String given = bufs == null ? " is null" : " has " + bufs.length + " buffers";
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT, operation, name + given + " for " + many + " " + receivers, port);
        }
        boolean hasFormInPlace = name.equals("send") && receivers.equals("ranks");
        for (int i = 0; i < many; i++) {
            Buf buf = bufs[i];
            if (buf != null && buf != Buf.IN_PLACE && buf.blocks() == null) {
                if (name.equals("send")) Arguments.checkRecords(operation, buf, 0, buf.count(), port);
                continue;
            }
            String what = buf == null
                    ? "null; pass Buf.NONE for no data"
                    : buf == Buf.IN_PLACE
                            ? "IN_PLACE; pass a buffer" + (hasFormInPlace ? ", or pass a single array" : "")
                            : buf + "; pass a buffer without blocks";
            throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, name + "[" + i + "] is " + what, port);
        }
    }

    /// Like [#parts], and checks that data can be received into each buffer.
    void partsToReceive(String operation, Buf[] bufs, int many, String receivers) {
        parts(operation, "recv", bufs, many, receivers);
        for (int i = 0; i < many; i++) {
            if (bufs[i] == Buf.NONE) continue;
            if (bufs[i].isReadOnly()) {
                throw MpiException.argument(ErrorClass.ERR_BUFFER, operation, "recv[" + i + "] is read-only", port);
            }
            if (bufs[i].overlaps()) throw Arguments.overlap(operation, port);
        }
    }

    /// Checks that the data that this rank sends to itself has the same length and type as the data that it
    /// receives from itself.
    void partToMyself(String operation, Buf send, Buf recv) {
        long bytes = send.sizeBytes();
        boolean asLong = bytes == recv.sizeBytes();
        boolean alike = send.matches(recv, Math.min(bytes, recv.sizeBytes()));
        if (asLong && alike) return;
        throw MpiException.argument(
                alike ? ErrorClass.ERR_COUNT : ErrorClass.ERR_TYPE,
                operation,
                "this rank's part for itself is " + send + " in send but " + recv + " in recv",
                port);
    }

    /// Checks that the program has described the blocks of both buffers of an alltoall, or of neither buffer.
    void sameForm(String operation, Buf send, Buf recv) {
        if ((send.blocks() == null) == (recv.blocks() == null)) return;
        boolean sends = send.blocks() != null;
        throw MpiException.argument(
                ErrorClass.ERR_ARG,
                operation,
                (sends ? "send" : "recv") + " has blocks and " + (sends ? "recv" : "send")
                        + " has none; pass blocks(…) for send and recv, or for neither",
                port);
    }

    /// Checks the blocks of the operand of a reduce-scatter, and returns the total number of elements.
    long consecutive(String operation, String name, Buf operand) {
        BlockLayout blocks = operand.blocks();
        if (blocks == null) {
            throw MpiException.argument(
                    ErrorClass.ERR_COUNT,
                    operation,
                    name + " has no blocks; pass blocks(…), or use reduceScatterBlock for equal blocks",
                    port);
        }
        eachLocal(operation, name, operand);
        long at = 0;
        for (int r = 0; r < port.localSize(); r++) {
            if (blocks.displacement(r) != at) {
                throw MpiException.argument(
                        ErrorClass.ERR_COUNT,
                        operation,
                        "block " + r + " of " + name + " is at displacement=" + blocks.displacement(r)
                                + " but must be at " + at
                                + ", because the blocks of a reduce-scatter are contiguous",
                        port);
            }
            at += blocks.count(r);
        }
        return at;
    }

    void noBlocks(String operation, String name, Buf buf) {
        if (buf.blocks() == null) return;
        throw MpiException.argument(
                ErrorClass.ERR_COUNT,
                operation,
                name + " has blocks; use reduceScatter for blocks of different size",
                port);
    }

    /// Checks that `recv` can store `mine` elements of the operand's type.
    void roomFor(String operation, Buf operand, long mine, Buf recv) {
        target(operation, "recv", recv);
        sameType(operation, operand, recv);
        if (recv.count() >= mine) return;
        throw MpiException.argument(
                ErrorClass.ERR_BUFFER,
                operation,
                "recv holds " + recv + " but this rank's block of the result is " + mine + " " + operand.datatype(),
                port);
    }
}
