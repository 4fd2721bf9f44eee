package org.tutti.libmpi;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.Memory;

/// The addresses of the operands of collective calls: off-heap memory is passed directly, heap arrays are
/// passed as staged copies. Only data is copied, not the gaps.
final class OperandStaging {
    private final Staging staging;

    OperandStaging(Staging staging) {
        this.staging = staging;
    }

    /// Returns a view of `memory` that the calling thread can access even if the memory is confined to another
    /// thread, which waits in the meantime.
    static Memory forThisThread(Memory memory) {
        MemorySegment there = memory.segment();
        if (!there.isNative() || there.isAccessibleBy(Thread.currentThread())) return memory;
        return Memory.of(MemorySegment.ofAddress(there.address()).reinterpret(there.byteSize()));
    }

    /// Returns the address of `bytes` bytes of an operand.
    MemorySegment sent(NativeCollective c, Memory memory, long offset, long bytes) {
        return switch (memory) {
            case Memory.Native there -> TypedTransfers.slice(there.segment(), offset);
            case Memory.Heap heap -> {
                MemorySegment room = sendRoom(c, bytes);
                MemorySegment.copy(heap.segment(), offset, room, 0, bytes);
                yield room;
            }
        };
    }

    /// Returns a copy of `bytes` bytes of an operand.
    MemorySegment copied(NativeCollective c, Memory memory, long bytes) {
        MemorySegment room = sendRoom(c, bytes);
        MemorySegment.copy(memory.segment(), 0, room, 0, bytes);
        return room;
    }

    /// Returns the address of all blocks of `send`.
    MemorySegment blocksSent(NativeCollective c) {
        return switch (c.send.memory) {
            case Memory.Native there -> there.segment();
            case Memory.Heap heap -> {
                int size = c.nativeComm().size();
                long bytes = 0;
                for (int r = 0; r < size; r++) bytes = Math.max(bytes, c.send.blockOffset(r) + c.send.blockBytes(r));
                MemorySegment room = sendRoom(c, bytes);
                if (c.send.blocks == null) {
                    MemorySegment.copy(heap.segment(), 0, room, 0, bytes);
                } else {
                    for (int r = 0; r < size; r++) {
                        long offset = c.send.blockOffset(r);
                        MemorySegment.copy(heap.segment(), offset, room, offset, c.send.blockBytes(r));
                    }
                }
                yield room;
            }
        };
    }

    /// Returns the address for the `bytes` bytes of the result. The `inputBytes` bytes at `inputOffset` are
    /// also input.
    MemorySegment received(NativeCollective c, long bytes, long inputOffset, long inputBytes) {
        return switch (c.recv.memory) {
            case Memory.Native there -> there.segment();
            case Memory.Heap heap -> {
                MemorySegment room = aside(c, bytes);
                MemorySegment.copy(heap.segment(), inputOffset, room, inputOffset, inputBytes);
                yield room;
            }
        };
    }

    /// Returns memory for a result of `bytes` bytes; [#deliver] copies this result to the final place.
    MemorySegment aside(NativeCollective c, long bytes) {
        MemorySegment room = recvRoom(c, bytes);
        c.result = room;
        return room;
    }

    /// Returns the address of all blocks of `recv`; in a call in place, the blocks contain the input: this
    /// rank's block, or all blocks if `all` is set.
    MemorySegment blocksReceived(NativeCollective c, boolean all) {
        if (c.recv.memory instanceof Memory.Native there) return there.segment();
        int size = c.nativeComm().size();
        int me = c.nativeComm().rank();
        long bytes = 0;
        for (int r = 0; r < size; r++) bytes = Math.max(bytes, c.recv.blockOffset(r) + c.recv.blockBytes(r));
        MemorySegment room = aside(c, bytes);
        for (int r = 0; c.inPlace && r < size; r++) {
            if (!all && r != me) continue;
            MemorySegment.copy(
                    c.recv.memory.segment(), c.recv.blockOffset(r), room, c.recv.blockOffset(r), c.recv.blockBytes(r));
        }
        return room;
    }

    /// Returns memory for the counts and displacements of the send and the receive argument.
    MemorySegment arguments(NativeCollective c) {
        Staging.Block block =
                staging.take(2 * CallArguments.argumentBytes(c.nativeComm().size()));
        c.argumentBlock = block;
        return block.segment();
    }

    /// Copies the received data from the staged copy, without bytes between blocks.
    void deliver(NativeCollective c) {
        MemorySegment room = c.result;
        if (room == null) return;
        MemorySegment heap = c.recv.memory.segment();
        switch (c.kind) {
            case BARRIER, ALLTOALLW, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW ->
                throw new IllegalStateException(c.kind + " has no result that was staged");
            case BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN ->
                MemorySegment.copy(room, 0, heap, 0, c.send.count * c.send.type.bytes());
            case SCATTER -> MemorySegment.copy(room, 0, heap, 0, c.recv.count * c.recv.type.bytes());
            case REDUCE_SCATTER -> {
                long count = c.recv.count(c.nativeComm().rank());
                MemorySegment.copy(room, 0, heap, 0, count * c.send.type.bytes());
            }
            case GATHER, ALLGATHER, ALLTOALL -> {
                int size = c.nativeComm().size();
                if (c.recv.blocks == null) {
                    MemorySegment.copy(room, 0, heap, 0, c.recv.count * c.recv.type.bytes() * size);
                } else {
                    for (int r = 0; r < size; r++) {
                        MemorySegment.copy(
                                room, c.recv.blockOffset(r), heap, c.recv.blockOffset(r), c.recv.blockBytes(r));
                    }
                }
            }
        }
    }

    /// Releases memory that the library used.
    void release(NativeCollective c) {
        if (c.sendBlock != null) staging.give(c.sendBlock);
        if (c.recvBlock != null) staging.give(c.recvBlock);
        if (c.argumentBlock != null) staging.give(c.argumentBlock);
        c.sendBlock = null;
        c.recvBlock = null;
        c.argumentBlock = null;
        c.result = null;
    }

    private MemorySegment sendRoom(NativeCollective c, long bytes) {
        if (c.blocking && NativeScratch.holds(bytes)) return c.scratch().sendRoom(bytes);
        Staging.Block block = staging.take(bytes);
        c.sendBlock = block;
        return block.segment();
    }

    private MemorySegment recvRoom(NativeCollective c, long bytes) {
        if (c.blocking && NativeScratch.holds(bytes)) return c.scratch().recvRoom(bytes);
        Staging.Block block = staging.take(bytes);
        c.recvBlock = block;
        return block.segment();
    }
}
