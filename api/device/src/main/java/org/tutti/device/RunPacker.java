package org.tutti.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.devices.PackedRuns;

/// Packs and unpacks derived datatypes on a device other than the host, piece by piece: a kernel copies data
/// between the memory and a packing buffer on the device, and one copy transfers the data between that buffer
/// and the host.
final class RunPacker {
    private static final long ROOM_BYTES = 1 << 20;
    private static final int THREADS = 256, MOST_BLOCKS = 1024, MOST_TABLES = 16;

    /// In the kernels, p is the index of a packed byte, and b is the index of this byte in the memory.
    private static final String SOURCE = """
            __device__ long long tutti_run(long long p, long long runs, const long long* offsets) {
                long long low = 0, high = runs;
                while (high - low > 1) {
                    long long middle = (low + high) / 2;
                    if (offsets[middle] <= p) low = middle; else high = middle;
                }
                return low;
            }
            extern "C" __global__ void tutti_pack_regular(long long n, long long from, long long first, long long length,
                    long long stride, const T* memory, T* room) {
                EACH { long long p = from + i * SIZE, b = first + p / length * stride + p % length;
                    room[i] = memory[b / SIZE]; }
            }
            extern "C" __global__ void tutti_unpack_regular(long long n, long long from, long long first,
                    long long length, long long stride, T* memory, const T* room) {
                EACH { long long p = from + i * SIZE, b = first + p / length * stride + p % length;
                    memory[b / SIZE] = room[i]; }
            }
            extern "C" __global__ void tutti_pack_any(long long n, long long from, long long runs,
                    const long long* table, const long long* offsets, const T* memory, T* room) {
                EACH { long long p = from + i * SIZE, run = tutti_run(p, runs, offsets);
                    room[i] = memory[(table[run] + p - offsets[run]) / SIZE]; }
            }
            extern "C" __global__ void tutti_unpack_any(long long n, long long from, long long runs,
                    const long long* table, const long long* offsets, T* memory, const T* room) {
                EACH { long long p = from + i * SIZE, run = tutti_run(p, runs, offsets);
                    memory[(table[run] + p - offsets[run]) / SIZE] = room[i]; }
            }
            """;

    /// The start of each run of a type, in the memory and in the packed data.
    private record Table(DeviceBuffer begins, DeviceBuffer offsets) {}

    private final Device device;
    private final DeviceBuffer room;
    private final Map<String, Kernel> kernels = new HashMap<>();

    /// The most recently used tables.
    private final LinkedHashMap<PackedRuns, Table> tables = new LinkedHashMap<>(MOST_TABLES, 0.75f, true);

    RunPacker(Device device) {
        this.device = device;
        room = device.allocate(Datatype.BYTE, ROOM_BYTES);
    }

    /// Copies packed bytes to the host.
    synchronized void copyTo(
            DeviceBuffer memory, MemorySegment target, PackedRuns runs, long from, DeviceStream stream) {
        if (!target.isNative()) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment copy = arena.allocate(target.byteSize());
                copyTo(memory, copy, runs, from, stream);
                target.copyFrom(copy);
            }
            return;
        }
        for (long at = 0; at < target.byteSize(); at += ROOM_BYTES) {
            MemorySegment piece = target.asSlice(at, Math.min(ROOM_BYTES, target.byteSize() - at));
            launch("tutti_pack_", memory, runs, from + at, piece.byteSize(), stream);
            copy(stream, (d, s) -> d.copyOut(s, piece, room.usable()));
        }
    }

    /// Copies packed bytes from the host into the memory.
    synchronized void copyFrom(
            DeviceBuffer memory, MemorySegment source, PackedRuns runs, long to, DeviceStream stream) {
        if (!source.isNative()) {
            try (Arena arena = Arena.ofConfined()) {
                copyFrom(memory, arena.allocate(source.byteSize()).copyFrom(source), runs, to, stream);
            }
            return;
        }
        for (long at = 0; at < source.byteSize(); at += ROOM_BYTES) {
            MemorySegment piece = source.asSlice(at, Math.min(ROOM_BYTES, source.byteSize() - at));
            copy(stream, (d, s) -> d.copyIn(s, room.usable(), piece));
            launch("tutti_unpack_", memory, runs, to + at, piece.byteSize(), stream);
            stream.synchronize();
        }
    }

    private interface Copy {
        void give(DeviceDriver driver, long stream);
    }

    private void copy(DeviceStream stream, Copy work) {
        device.waiting(
                () -> device.locked(d -> {
                    long handle = device.ordered(room.memory(), stream, d);
                    work.give(d, handle);
                    return stream.open();
                }),
                DeviceDriver::synchronize);
    }

    private void launch(String name, DeviceBuffer memory, PackedRuns runs, long from, long bytes, DeviceStream stream) {
        int size = (int) Long.lowestOneBit(runs.alignment() | from | bytes | memory.address());
        Datatype unit = unit(size);
        DeviceBuffer of = memory.as(unit), packed = room.as(unit);
        long count = bytes / size;
        Dim grid = Dim.of((int) Math.min(MOST_BLOCKS, Math.ceilDiv(count, THREADS))), block = Dim.of(THREADS);
        if (runs.isRegular()) {
            long stride = runs.count() == 1 ? 0 : runs.begin(1) - runs.begin(0);
            kernel(name + "regular", unit)
                    .launch(stream, 0, grid, block, count, from, runs.begin(0), runs.offset(1), stride, of, packed);
        } else {
            Table table = table(runs);
            long all = runs.count();
            kernel(name + "any", unit)
                    .launch(stream, 0, grid, block, count, from, all, table.begins, table.offsets, of, packed);
        }
    }

    private Table table(PackedRuns runs) {
        Table known = tables.get(runs);
        if (known != null) return known;
        long[] begins = new long[runs.count()], offsets = new long[runs.count() + 1];
        for (int i = 0; i < begins.length; i++) {
            begins[i] = runs.begin(i);
            offsets[i + 1] = runs.offset(i + 1);
        }
        Table made = new Table(device.of(begins), device.of(offsets));
        tables.put(runs, made);
        if (tables.size() > MOST_TABLES) {
            Table oldest = tables.pollFirstEntry().getValue();
            oldest.begins.free();
            oldest.offsets.free();
        }
        return made;
    }

    private static Datatype unit(int bytes) {
        return switch (bytes) {
            case 1 -> Datatype.BYTE;
            case 2 -> Datatype.SHORT;
            case 4 -> Datatype.INT;
            default -> Datatype.LONG;
        };
    }

    private Kernel kernel(String name, Datatype unit) {
        return kernels.computeIfAbsent(name + unit, n -> device.kernel(name, source(unit)));
    }

    static String source(Datatype unit) {
        return SOURCE.replace("EACH ", ArraySource.LOOP)
                .replace("SIZE", Long.toString(unit.sizeBytes()))
                .replaceAll("\\bT\\b", ArraySource.word(unit));
    }
}
