package org.tutti.device.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.gpu.FakeLibrary.at;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.device.gpu.FakeGpu;
import org.tutti.device.gpu.FakeLibrary;

/// A fake NCCL library, one for each rank. An operation is queued on a stream of the fake GPU, and waits there
/// for the other ranks of a [World], as a kernel of the real library does. Elements are floats.
final class FakeNccl implements FakeLibrary.Behaviour {
    static final String PROTOTYPES = """
            VERSION ncclGetVersion(int *version)
            UNIQUE_ID ncclGetUniqueId(ncclUniqueId* uniqueId)
            INIT ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t* config)
            FINALIZE ncclCommFinalize(ncclComm_t comm)
            DESTROY ncclCommDestroy(ncclComm_t comm)
            ABORT ncclCommAbort(ncclComm_t comm)
            SPLIT ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t* config)
            COUNT ncclCommCount(const ncclComm_t comm, int* count)
            RANK ncclCommUserRank(const ncclComm_t comm, int* rank)
            ASYNC_ERROR ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
            GROUP_START ncclGroupStart()
            GROUP_END ncclGroupEnd()
            ALL_REDUCE ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, \
            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
            REDUCE ncclReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, \
            ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
            BROADCAST ncclBroadcast(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, \
            int root, ncclComm_t comm, cudaStream_t stream)
            ALL_GATHER ncclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount, \
            ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream)
            REDUCE_SCATTER ncclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount, \
            ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
            SEND ncclSend(const void* sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, \
            cudaStream_t stream)
            RECEIVE ncclRecv(void* recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, \
            cudaStream_t stream)""";

    private static final int FLOAT32 = 7, IN_PROGRESS = 7, UNHANDLED_CUDA_ERROR = 1, INVALID_ARGUMENT = 4;
    private static final AtomicLong HANDLES = new AtomicLong(0x5000);

    /// The shared state of the ranks: ids, and the input of operations.
    static final class World {
        private final AtomicInteger ids = new AtomicInteger();
        private final Map<String, Map<Integer, float[]>> meetings = new ConcurrentHashMap<>();
        private final Map<String, float[]> messages = new ConcurrentHashMap<>();

        Map<Integer, float[]> operands(String what) {
            return meetings.computeIfAbsent(what, w -> new ConcurrentHashMap<>());
        }
    }

    /// A rank's communicator.
    private static final class Comm {
        final String id;
        final int rank, size;
        int calls;
        final Map<String, Integer> messages = new HashMap<>();
        volatile boolean aborted;

        Comm(String id, int rank, int size) {
            this.id = id;
            this.rank = rank;
            this.size = size;
        }
    }

    private final World world;
    private final FakeGpu gpu;
    private final Map<Long, Comm> comms = new ConcurrentHashMap<>();
    private final List<Runnable> group = new ArrayList<>();
    private boolean grouping;
    int version = 22707;
    volatile int state;
    volatile boolean neverReady;
    final List<String> destroyed = Collections.synchronizedList(new ArrayList<>());

    FakeNccl(World world, FakeGpu gpu) {
        this.world = world;
        this.gpu = gpu;
    }

    /// Returns the number of communicators that were not destroyed and not aborted.
    int open() {
        return comms.size();
    }

    @Override
    public int call(String row, Object[] a) {
        return switch (row) {
            case "VERSION" -> put(a[0], version);
            case "UNIQUE_ID" -> {
                byte[] id = new byte[128];
                java.util.Arrays.fill(id, (byte) ('A' + world.ids.getAndIncrement()));
                MemorySegment.copy(id, 0, at(a[0]), JAVA_BYTE, 0, id.length);
                yield 0;
            }
            case "INIT" -> init(a);
            case "ASYNC_ERROR" -> put(a[1], neverReady ? IN_PROGRESS : comms.containsKey((long) a[0]) ? state(a) : 4);
            case "FINALIZE" -> comms.containsKey((long) a[0]) ? IN_PROGRESS : INVALID_ARGUMENT;
            case "DESTROY", "ABORT" -> {
                Comm comm = comms.remove((long) a[0]);
                if (comm == null) yield INVALID_ARGUMENT;
                comm.aborted = true;
                destroyed.add(row);
                yield 0;
            }
            case "COUNT" -> put(a[1], comm(a[0]).size);
            case "RANK" -> put(a[1], comm(a[0]).rank);
            case "SPLIT" -> split(a);
            case "GROUP_START" -> {
                grouping = true;
                yield 0;
            }
            case "GROUP_END" -> {
                grouping = false;
                List.copyOf(group).forEach(Runnable::run);
                group.clear();
                yield IN_PROGRESS;
            }
            default -> operation(row, a);
        };
    }

    /// Returns "in progress" once after each call, as NCCL does for some time.
    private int state(Object[] a) {
        Comm comm = comm(a[0]);
        if (state != 0) return state;
        return comm.calls++ % 2 == 0 ? IN_PROGRESS : 0;
    }

    private Comm comm(Object handle) {
        Comm comm = comms.get((long) handle);
        if (comm == null) throw new IllegalStateException("the communicator was destroyed");
        return comm;
    }

    private int init(Object[] a) {
        MemorySegment id = (MemorySegment) a[2], config = at(a[4]);
        for (long i = 1; i < 128; i++) if (id.get(JAVA_BYTE, i) != id.get(JAVA_BYTE, 0)) return INVALID_ARGUMENT;
        boolean right = config.get(JAVA_LONG, 0) == 24
                && config.get(JAVA_INT, 8) == 0xcafebeef
                && config.get(JAVA_INT, 12) >= 21400
                && config.get(JAVA_INT, 16) == 0;
        if (!right) return INVALID_ARGUMENT;
        String name = new String(id.asSlice(0, 1).toArray(JAVA_BYTE), StandardCharsets.US_ASCII);
        return add(a[0], new Comm(name, (int) a[3], (int) a[1]));
    }

    private int add(Object out, Comm comm) {
        long handle = HANDLES.incrementAndGet();
        comms.put(handle, comm);
        at(out).set(JAVA_LONG, 0, handle);
        return IN_PROGRESS;
    }

    /// Creates communicators of ranks with the same color, in rank order; waits for the other ranks during the
    /// call, whereas NCCL waits asynchronously.
    private int split(Object[] a) {
        Comm parent = comm(a[0]);
        int color = (int) a[1];
        Map<Integer, float[]> operands = world.operands(parent.id + " split");
        operands.put(parent.rank, new float[] {color});
        if (color < 0) {
            at(a[3]).set(JAVA_LONG, 0, 0);
            return 0;
        }
        while (operands.size() < parent.size) Thread.onSpinWait();
        int rank = 0, size = 0;
        for (int i = 0; i < parent.size; i++) {
            if (operands.get(i)[0] != color) continue;
            if (i < parent.rank) rank++;
            size++;
        }
        return add(a[3], new Comm(parent.id + color, rank, size));
    }

    private int operation(String row, Object[] a) {
        if (gpu.isLost()) return UNHANDLED_CUDA_ERROR;
        Comm comm = comm(a[a.length - 2]);
        long stream = (long) a[a.length - 1];
        boolean message = row.equals("SEND") || row.equals("RECEIVE");
        int count = (int) (long) a[message ? 1 : 2], type = (int) a[message ? 2 : 3];
        if (type != FLOAT32) return INVALID_ARGUMENT;
        Runnable work = message ? message(row, a, comm, count) : collective(row, a, comm, count);
        Runnable given = () -> {
            if (gpu.enqueue(stream, work) == null) throw new IllegalStateException("no such stream");
        };
        if (grouping) group.add(given);
        else given.run();
        return grouping ? 0 : IN_PROGRESS;
    }

    private Runnable message(String row, Object[] a, Comm comm, int count) {
        int peer = (int) a[3];
        String way = comm.id + (row.equals("SEND") ? comm.rank + ">" + peer : peer + ">" + comm.rank);
        String key = way + "#" + comm.messages.merge(row + way, 1, Integer::sum);
        if (row.equals("SEND")) return () -> world.messages.put(key, floats(a[0], count));
        return () -> {
            float[] got = await(comm, () -> world.messages.get(key));
            if (got != null) store(a[0], got);
        };
    }

    private Runnable collective(String row, Object[] a, Comm comm, int count) {
        String key = comm.id + " " + comm.messages.merge("collectives", 1, Integer::sum) + row;
        int given = row.equals("REDUCE_SCATTER") ? count * comm.size : count;
        Map<Integer, float[]> operands = world.operands(key);
        Consumer<Map<Integer, float[]>> result = result(row, a, comm, count);
        return () -> {
            operands.put(comm.rank, floats(a[0], given));
            Object all = await(comm, () -> operands.size() == comm.size ? operands : null);
            if (all != null) result.accept(operands);
        };
    }

    private static Consumer<Map<Integer, float[]>> result(String row, Object[] a, Comm comm, int count) {
        return all -> {
            switch (row) {
                case "ALL_REDUCE" -> store(a[1], combined(all, (int) a[4], 0, count));
                case "REDUCE" -> {
                    if (comm.rank == (int) a[5]) store(a[1], combined(all, (int) a[4], 0, count));
                }
                case "REDUCE_SCATTER" -> store(a[1], combined(all, (int) a[4], comm.rank * count, count));
                case "BROADCAST" -> store(a[1], all.get((int) a[4]));
                case "ALL_GATHER" -> {
                    for (int i = 0; i < comm.size; i++) store((long) a[1] + 4L * i * count, all.get(i));
                }
                default -> throw new AssertionError(row);
            }
        };
    }

    private static float[] combined(Map<Integer, float[]> all, int op, int from, int count) {
        float[] result = new float[count];
        for (int i = 0; i < count; i++) {
            float value = all.get(0)[from + i];
            for (int rank = 1; rank < all.size(); rank++) {
                float next = all.get(rank)[from + i];
                value = switch (op) {
                    case 0, 4 -> value + next;
                    case 1 -> value * next;
                    case 2 -> Math.max(value, next);
                    case 3 -> Math.min(value, next);
                    default -> throw new AssertionError("no operation " + op);
                };
            }
            result[i] = op == 4 ? value / all.size() : value;
        }
        return result;
    }

    /// Waits for all ranks as a kernel does: spins, and returns after an abort.
    private static <T> @Nullable T await(Comm comm, java.util.function.Supplier<@Nullable T> what) {
        while (!comm.aborted) {
            T there = what.get();
            if (there != null) return there;
            Thread.onSpinWait();
        }
        return null;
    }

    private static float[] floats(Object address, int count) {
        return at(address).asSlice(0, 4L * count).toArray(java.lang.foreign.ValueLayout.JAVA_FLOAT);
    }

    private static void store(Object address, float[] values) {
        MemorySegment.copy(values, 0, at(address), java.lang.foreign.ValueLayout.JAVA_FLOAT, 0, values.length);
    }

    private static int put(Object out, int value) {
        at(out).set(JAVA_INT, 0, value);
        return 0;
    }
}
