package org.tutti.device;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.tutti.device.ElementwiseOp.Binary;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.InterprocessMemory;
import org.tutti.device.spi.InterprocessMemory.Exported;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.SplitType;

/// A path through memory shared between processes, for ranks on one machine. Each rank has an area that all
/// ranks have opened. Data passes through the areas in pieces, separated by barriers:
///
///     local input ─▶ local area ┃ all areas, my part of the piece ─▶ combined, local area ┃ all areas ─▶ result
///
/// Only the areas are shared, not the program's buffers, because the result would be undefined if the program
/// freed memory that other processes have opened. Elements are combined in rank order. An operation is complete
/// when the call returns.
final class InterprocessWay implements DeviceWay {
    /// Half the size of an area, in bytes. In allreduce and reduce, one half is for the input, and one is for
    /// the combined elements; other operations use the whole area for the input.
    private static final long HALF = 4 << 20;

    /// Identifies this process, so that ranks in the same process are detected.
    private static final String PROCESS = UUID.randomUUID().toString();

    private final Comm comm;
    private final Device device;
    private final DeviceBuffer area;
    private final InterprocessMemory memory;

    /// The addresses at which this process accesses the areas of all ranks.
    private final long[] areas;

    /// The mappings that must be closed.
    private final List<Long> opened;

    private InterprocessWay(
            Comm comm, Device device, DeviceBuffer area, InterprocessMemory memory, long[] areas, List<Long> opened) {
        this.comm = comm;
        this.device = device;
        this.area = area;
        this.memory = memory;
        this.areas = areas;
        this.opened = opened;
    }

    /// The description of a rank's area, or the reason why the rank has none.
    ///
    /// @param address the address of the area, which is valid in the process of the rank
    private record Offer(String process, String device, long address, byte[] handle, long offset, String refusal) {
        static Offer refused(String process, String why) {
            return new Offer(process, "", 0, new byte[0], 0, why);
        }

        /// Returns the strings that are sent to the other ranks.
        List<String> fields() {
            String bytes = HexFormat.of().formatHex(handle);
            return List.of(process, device, Long.toString(address), bytes, Long.toString(offset), refusal);
        }

        static Offer of(List<String> fields) {
            return new Offer(
                    fields.get(0),
                    fields.get(1),
                    Long.parseLong(fields.get(2)),
                    HexFormat.of().parseHex(fields.get(3)),
                    Long.parseLong(fields.get(4)),
                    fields.get(5));
        }
    }

    /// Creates the path. If this is not possible, returns null on all ranks, and adds the reasons to
    /// `refusals`. Collective.
    static @Nullable DeviceWay connect(Comm comm, Device device, List<String> refusals) {
        return connect(comm, device, PROCESS, refusals);
    }

    /// @param process an identifier that is equal only for ranks of the same process
    static @Nullable DeviceWay connect(Comm comm, Device device, String process, List<String> refusals) {
        InterprocessMemory memory = device.power(InterprocessMemory.class);
        DeviceBuffer area = null;
        Offer mine = Offer.refused(process, device.id() + " has no memory shared between processes");
        if (memory != null) {
            try {
                area = device.allocate(Datatype.BYTE, 2 * HALF);
                long address = area.address();
                Exported exported = memory.export(address);
                mine = new Offer(
                        process, device.attributes().uuid(), address, exported.handle(), exported.offset(), "");
            } catch (DeviceFault | DeviceException e) {
                mine = Offer.refused(process, String.valueOf(e.getMessage()));
            }
        }
        int together;
        try (OwnedComm machine = comm.splitType(SplitType.SHARED)) {
            together = machine.size();
        }
        List<Offer> offers =
                comm.allgatherObject(mine.fields()).stream().map(Offer::of).toList();
        long[] areas = new long[comm.size()];
        List<Long> opened = new ArrayList<>();
        String refusal = together < comm.size() ? "the ranks are on several machines" : "";
        boolean isOffered = offers.stream().allMatch(offer -> offer.refusal().isEmpty());
        if (refusal.isEmpty()) refusal = mine.refusal();
        for (int r = 0; r < areas.length && refusal.isEmpty() && isOffered; r++) {
            Offer other = offers.get(r);
            if (!other.process().equals(process)) {
                try {
                    long address = Objects.requireNonNull(memory).open(other.handle());
                    opened.add(address);
                    areas[r] = address + other.offset();
                } catch (DeviceFault f) {
                    refusal = String.valueOf(f.getMessage());
                }
            } else if (other.device().equals(device.attributes().uuid())) {
                areas[r] = other.address();
            } else {
                refusal = "rank " + r + " is in the same process as rank " + comm.rank() + ", with another device";
            }
        }
        List<String> all = comm.allgatherObject(refusal);
        for (int r = 0; r < all.size(); r++) {
            if (all.get(r).isEmpty()) continue;
            refusals.add("memory shared between processes: rank " + r + ": " + all.get(r));
            try {
                if (memory != null) closeAll(device, memory, opened);
            } catch (DeviceException e) {
                refusals.add(String.valueOf(e.getMessage()));
            }
            comm.barrier();
            if (area != null) area.free();
            return null;
        }
        return new InterprocessWay(
                comm, device, Objects.requireNonNull(area), Objects.requireNonNull(memory), areas, opened);
    }

    @Override
    public boolean supports(Datatype type, @Nullable Op op) {
        if (op == null) return true;
        boolean isNumber =
                type == Datatype.FLOAT || type == Datatype.DOUBLE || type == Datatype.INT || type == Datatype.LONG;
        return isNumber && Binary.combining(op) != null;
    }

    /// Returns a buffer over `count` elements of a rank's area, starting at byte `at`.
    private DeviceBuffer there(int rank, long at, long count, Datatype type) {
        return device.wrap(areas[rank] + at, count * type.sizeBytes(), type);
    }

    /// Waits until the devices of all ranks have completed the queued work.
    private void meet(DeviceStream stream) {
        stream.synchronize();
        comm.barrier();
    }

    /// Combines elements of all areas, starting at byte `at`.
    private void combine(long at, DeviceBuffer into, Op op) {
        Binary how = Objects.requireNonNull(Binary.combining(op));
        into.copyFrom(there(0, at, into.count(), into.type()), device.stream());
        for (int r = 1; r < areas.length; r++) {
            device.arrays().apply(how, into, there(r, at, into.count(), into.type()), into);
        }
    }

    private static long firstOf(int rank, int ranks, long count) {
        return count * rank / ranks;
    }

    @Override
    public void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream) {
        reduced(buffer, op, stream, true);
    }

    @Override
    public void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream) {
        reduced(buffer, op, stream, comm.rank() == root);
    }

    private void reduced(DeviceBuffer buffer, Op op, DeviceStream stream, boolean wanted) {
        Datatype type = buffer.type();
        int me = comm.rank(), ranks = areas.length;
        long most = HALF / type.sizeBytes();
        for (long from = 0; from < buffer.count(); from += most) {
            long count = Math.min(most, buffer.count() - from);
            there(me, 0, count, type).copyFrom(buffer.slice(from, count), stream);
            meet(stream);
            long first = firstOf(me, ranks, count), end = firstOf(me + 1, ranks, count);
            if (first < end)
                combine(first * type.sizeBytes(), there(me, HALF + first * type.sizeBytes(), end - first, type), op);
            meet(device.stream());
            for (int r = 0; r < ranks && wanted; r++) {
                long begin = firstOf(r, ranks, count), length = firstOf(r + 1, ranks, count) - begin;
                if (length == 0) continue;
                DeviceBuffer part = there(r, HALF + begin * type.sizeBytes(), length, type);
                buffer.slice(from + begin, length).copyFrom(part, stream);
            }
        }
        meet(stream);
    }

    @Override
    public void bcast(DeviceBuffer buffer, int root, DeviceStream stream) {
        Datatype type = buffer.type();
        long most = 2 * HALF / type.sizeBytes();
        for (long from = 0; from < buffer.count(); from += most) {
            DeviceBuffer piece = buffer.slice(from, Math.min(most, buffer.count() - from));
            boolean isRoot = comm.rank() == root;
            if (isRoot) there(root, 0, piece.count(), type).copyFrom(piece, stream);
            meet(stream);
            if (!isRoot) piece.copyFrom(there(root, 0, piece.count(), type), stream);
            meet(stream);
        }
    }

    @Override
    public void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        Datatype type = send.type();
        long most = 2 * HALF / type.sizeBytes();
        for (long from = 0; from < send.count(); from += most) {
            long count = Math.min(most, send.count() - from);
            there(comm.rank(), 0, count, type).copyFrom(send.slice(from, count), stream);
            meet(stream);
            for (int r = 0; r < areas.length; r++) {
                recv.slice(r * send.count() + from, count).copyFrom(there(r, 0, count, type), stream);
            }
            meet(stream);
        }
    }

    @Override
    public void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream) {
        Datatype type = recv.type();
        long most = 2 * HALF / type.sizeBytes() / areas.length;
        for (long from = 0; from < recv.count(); from += most) {
            long count = Math.min(most, recv.count() - from);
            intoBlocks(send, recv.count(), from, count, stream);
            meet(stream);
            combine(comm.rank() * count * type.sizeBytes(), recv.slice(from, count), op);
            meet(device.stream());
        }
    }

    @Override
    public void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        Datatype type = send.type();
        long block = send.count() / areas.length;
        long most = 2 * HALF / type.sizeBytes() / areas.length;
        for (long from = 0; from < block; from += most) {
            long count = Math.min(most, block - from);
            intoBlocks(send, block, from, count, stream);
            meet(stream);
            for (int r = 0; r < areas.length; r++) {
                DeviceBuffer part = there(r, comm.rank() * count * type.sizeBytes(), count, type);
                recv.slice(r * block + from, count).copyFrom(part, stream);
            }
            meet(stream);
        }
    }

    /// Copies a part of each block to this rank's area, in which the parts are contiguous. A part has `count`
    /// elements and starts at element `from` of the block.
    private void intoBlocks(DeviceBuffer send, long block, long from, long count, DeviceStream stream) {
        for (int r = 0; r < areas.length; r++) {
            DeviceBuffer part = send.slice(r * block + from, count);
            there(comm.rank(), r * count * send.type().sizeBytes(), count, send.type())
                    .copyFrom(part, stream);
        }
    }

    /// Exchanges messages through the host, because on this path the two ranks of a message would have to
    /// synchronize.
    @Override
    public void exchange(List<Exchange.Message> messages, DeviceStream stream) {
        new StagedWay(comm).exchange(messages, stream);
    }

    /// Closes the path. The other ranks wait in the barrier, so this rank must enter the barrier even after a
    /// failure.
    @Override
    public void close() {
        try {
            closeAll(device, memory, opened);
        } finally {
            comm.barrier();
            area.free();
        }
    }

    /// Closes the path on this rank. The area remains until the device is closed, because other ranks may still
    /// use it.
    @Override
    public void abandon() {
        closeAll(device, memory, opened);
    }

    /// Closes the areas of all other ranks, and then throws the first failure.
    private static void closeAll(Device device, InterprocessMemory memory, List<Long> opened) {
        DeviceException first = null;
        for (long each : opened) {
            try {
                device.closing(d -> memory.close(each));
            } catch (DeviceException e) {
                if (first == null) first = e;
                else first.addSuppressed(e);
            }
        }
        opened.clear();
        if (first != null) throw first;
    }

    @Override
    public String toString() {
        return "memory shared between processes";
    }
}
