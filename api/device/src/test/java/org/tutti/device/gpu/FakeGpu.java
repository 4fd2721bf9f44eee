package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.gpu.FakeLibrary.at;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A fake driver library with one device, or several identical devices, in host memory. Streams work in order,
/// one thread per stream; calls with an invalid address, handle or context fail as in a real driver.
public final class FakeGpu implements FakeLibrary.Behaviour {
    static final int INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_HANDLE = 400;
    static final int NOT_FOUND = 500, NOT_READY = 600;
    static final int PEER_ENABLED = 704;
    static final long CONTEXT = 0xc0de;
    private static final long NO_OWNER = -1;
    private static final AtomicLong NUMBERS = new AtomicLong(0x1000);

    /// The work queue of a stream.
    private static final class Queue {
        CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    }

    /// A launch as received by the library.
    public record Launch(String kernel, List<Integer> shape, long stream, long first, long second) {}

    final Map<Long, MemorySegment> memory = Collections.synchronizedMap(new TreeMap<>());
    final Map<Long, MemorySegment> hostMemory = new ConcurrentHashMap<>();
    final List<Launch> launches = Collections.synchronizedList(new ArrayList<>());
    private final Map<Long, Queue> streams = new ConcurrentHashMap<>(Map.of(0L, new Queue()));
    private final Map<Long, CompletableFuture<Void>> events = new ConcurrentHashMap<>();
    private final Map<Long, byte[]> modules = new ConcurrentHashMap<>();
    private final Map<Long, String> functions = new ConcurrentHashMap<>();

    /// Functions that were loaded before being launched.
    private final Set<Long> loaded = ConcurrentHashMap.newKeySet();
    private final Map<Long, Long> owners = new ConcurrentHashMap<>();
    private final ThreadLocal<Long> current = ThreadLocal.withInitial(() -> NO_OWNER);

    private final boolean currentByDevice;
    int device = 0, devices = 1, version = 12020;
    long capacity = 1L << 20;
    byte[] uuid = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    final Map<Integer, Integer> attributes = new ConcurrentHashMap<>();
    final List<String> peers = Collections.synchronizedList(new ArrayList<>());
    boolean areConnected = true;
    volatile int lost;
    private final AtomicInteger retained = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /// @param currentByDevice whether the current device is set by its number (HIP) rather than by its context
    ///     (CUDA)
    public FakeGpu(boolean currentByDevice) {
        this.currentByDevice = currentByDevice;
    }

    /// Lets streams wait before the next work, until [#proceed].
    public void hold() {
        gate = new CountDownLatch(1);
    }

    public void proceed() {
        gate.countDown();
    }

    public boolean isLost() {
        return lost != 0;
    }

    /// Returns the resources that were not released.
    public List<String> leaks() {
        List<String> leaks = new ArrayList<>();
        if (!memory.isEmpty()) leaks.add(memory.size() + " allocations");
        if (!hostMemory.isEmpty()) leaks.add(hostMemory.size() + " host allocations");
        if (streams.size() > 1) leaks.add(streams.size() - 1 + " streams");
        if (!events.isEmpty()) leaks.add(events.size() + " events");
        if (!modules.isEmpty()) leaks.add(modules.size() + " modules");
        if (retained.get() != 0) leaks.add("the context, " + retained + " times");
        return leaks;
    }

    /// Queues work on a stream; returns null if no such stream exists.
    public @Nullable CompletableFuture<Void> enqueue(long stream, Runnable work) {
        Queue queue = streams.get(stream);
        if (queue == null) return null;
        synchronized (queue) {
            CountDownLatch now = gate;
            return queue.last = queue.last.thenRunAsync(
                    () -> {
                        await(now);
                        work.run();
                    },
                    task -> Thread.ofPlatform().daemon().start(task));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private int given(long stream, Runnable work) {
        return enqueue(stream, work) == null ? INVALID_HANDLE : 0;
    }

    private boolean has(long address, long bytes) {
        return owner(address, bytes) != NO_OWNER;
    }

    @Override
    public int call(String row, Object[] a) {
        if (row.equals("MAKE_CURRENT")) return makeCurrent(a[0]);
        return switch (row) {
            case "INIT", "IPC_CLOSE" -> 0;
            case "DRIVER_VERSION" -> put(a[0], version);
            case "DEVICE_COUNT" -> put(a[0], devices);
            case "DEVICE" -> put(a[0], device + (int) a[1]);
            case "DEVICE_NAME" -> text(a[0], "Fake GPU");
            case "DEVICE_PCI_ID" -> text(a[0], "0000:41:00.0");
            case "DEVICE_UUID" -> {
                byte[] own = uuid.clone();
                own[0] += (byte) ((int) a[1] - device);
                yield bytes(a[0], own);
            }
            case "DEVICE_MEMORY" -> put(a[0], capacity);
            case "DEVICE_ATTRIBUTE" -> put(a[0], attributes.getOrDefault((int) a[1], 0));
            case "CONTEXT_RETAIN" -> {
                retained.incrementAndGet();
                yield put(a[0], CONTEXT + (int) a[1] - device);
            }
            case "CONTEXT_RELEASE" -> {
                retained.decrementAndGet();
                yield 0;
            }
            case "CAN_ACCESS_PEER" -> put(a[0], areConnected && !a[1].equals(a[2]) ? 1 : 0);
            default -> inContext(row, a);
        };
    }

    private int makeCurrent(Object which) {
        int index = index(which);
        if (index < 0 || index >= devices) return INVALID_CONTEXT;
        current.set((long) index);
        return lost;
    }

    /// Returns the index of a device, given its number or the handle of its context.
    private int index(Object which) {
        return Math.toIntExact(which instanceof Integer i ? i - device : (long) which - CONTEXT);
    }

    private int enablePeer(int index) {
        String pair = current.get() + " reaches " + index;
        if (peers.contains(pair)) return PEER_ENABLED;
        peers.add(pair);
        return 0;
    }

    private int copyPeer(Object[] a) {
        long to = (long) a[0], from = (long) a[2], bytes = (long) a[4];
        boolean isTheirs = owner(to, bytes) == index(a[1]) && owner(from, bytes) == index(a[3]);
        if (!isTheirs || index(a[1]) == index(a[3])) return INVALID_VALUE;
        return given((long) a[5], () -> MemorySegment.copy(at(from), 0, at(to), 0, bytes));
    }

    private long owner(long address, long bytes) {
        synchronized (memory) {
            for (MemorySegment one : memory.values()) {
                if (address >= one.address() && address + bytes <= one.address() + one.byteSize()) {
                    return owners.getOrDefault(one.address(), NO_OWNER);
                }
            }
        }
        return NO_OWNER;
    }

    private int inContext(String row, Object[] a) {
        if (current.get() == NO_OWNER) return INVALID_CONTEXT;
        if (lost != 0) return lost;
        return switch (row) {
            case "MEMORY_INFO" -> put(a[0], capacity - used()) + put(a[1], capacity);
            case "ALLOCATE" -> allocate(a[0], (long) a[1], memory);
            case "ALLOCATE_MANAGED" -> (int) a[2] == 1 ? allocate(a[0], (long) a[1], memory) : INVALID_VALUE;
            case "HOST_ALLOCATE" -> allocate(a[0], (long) a[1], hostMemory);
            case "FREE" -> memory.remove((long) a[0]) == null ? INVALID_VALUE : 0;
            case "HOST_FREE" -> hostMemory.remove((long) a[0]) == null ? INVALID_VALUE : 0;
            case "ADDRESS_RANGE" -> range(a);
            case "COPY_TO_DEVICE_ASYNC" -> copy((long) a[0], (long) a[1], a, (long) a[0]);
            case "COPY_TO_HOST_ASYNC" -> copy((long) a[0], (long) a[1], a, (long) a[1]);
            case "COPY_ON_DEVICE_ASYNC" ->
                has((long) a[1], (long) a[2]) ? copy((long) a[0], (long) a[1], a, (long) a[0]) : INVALID_VALUE;
            case "ENABLE_PEER" -> enablePeer(index(a[0]));
            case "COPY_PEER_ASYNC" -> copyPeer(a);
            case "FILL_8_ASYNC" -> fill(a, Byte.BYTES);
            case "FILL_16_ASYNC" -> fill(a, Short.BYTES);
            case "FILL_32_ASYNC" -> fill(a, Integer.BYTES);
            case "STREAM_CREATE" -> create(a[0], streams, new Queue());
            case "STREAM_DESTROY" -> streams.remove((long) a[0]) == null ? INVALID_HANDLE : 0;
            case "STREAM_SYNCHRONIZE" -> join(stream(a[0]));
            case "STREAM_QUERY" -> query(stream(a[0]));
            case "STREAM_WAIT_EVENT" -> {
                CompletableFuture<Void> event = events.get((long) a[1]);
                yield event == null ? INVALID_HANDLE : given((long) a[0], event::join);
            }
            case "EVENT_CREATE" -> create(a[0], events, CompletableFuture.completedFuture(null));
            case "EVENT_DESTROY" -> events.remove((long) a[0]) == null ? INVALID_HANDLE : 0;
            case "EVENT_RECORD" -> {
                CompletableFuture<Void> now = stream(a[1]);
                yield now == null || events.replace((long) a[0], now) == null ? INVALID_HANDLE : 0;
            }
            case "EVENT_QUERY" -> query(events.get((long) a[0]));
            case "EVENT_SYNCHRONIZE" -> join(events.get((long) a[0]));
            default -> kernels(row, a);
        };
    }

    private int kernels(String row, Object[] a) {
        return switch (row) {
            case "MODULE_LOAD" -> {
                byte[] head = at(a[1]).asSlice(0, 4).toArray(JAVA_BYTE);
                if (!new String(head).equals("FAKE")) yield 200;
                yield create(a[0], modules, head);
            }
            case "MODULE_UNLOAD" -> modules.remove((long) a[0]) == null ? INVALID_HANDLE : 0;
            case "MODULE_FUNCTION" -> {
                String name = at(a[2]).getString(0);
                if (name.equals("missing")) yield NOT_FOUND;
                yield create(a[0], functions, name);
            }
            case "FUNCTION_LOAD" -> {
                boolean isThere = functions.containsKey((long) a[0]);
                if (isThere) loaded.add((long) a[0]);
                yield isThere ? 0 : INVALID_HANDLE;
            }
            case "FUNCTION_ATTRIBUTE" -> put(a[0], 512);
            case "LAUNCH" -> launch(a);
            case "IPC_GET" -> {
                MemorySegment handle = at(a[0]).asSlice(0, 64).fill((byte) 7);
                handle.set(JAVA_LONG, 8, (long) a[1]);
                handle.set(JAVA_LONG, 56, ProcessHandle.current().pid());
                yield 0;
            }
            case "IPC_OPEN" -> {
                MemorySegment handle = (MemorySegment) a[1];
                boolean whole = handle.byteSize() == 64 && handle.get(JAVA_BYTE, 0) == 7 && (int) a[2] == 1;
                yield whole ? put(a[0], handle.get(JAVA_LONG, 8)) : INVALID_VALUE;
            }
            default -> throw new AssertionError("unsupported function: " + row);
        };
    }

    private int launch(Object[] a) {
        List<Integer> shape = new ArrayList<>();
        for (int i = 1; i <= 7; i++) shape.add((int) a[i]);
        if (shape.get(3) > 1024) return 701;
        boolean mustBeLoaded = !currentByDevice; // only in CUDA
        if (mustBeLoaded && !loaded.contains((long) a[0])) return INVALID_HANDLE;
        MemorySegment pointers = at(a[9]);
        long first = at(pointers.get(JAVA_LONG, 0)).get(JAVA_LONG, 0);
        long second = at(pointers.get(JAVA_LONG, 8)).get(JAVA_LONG, 0);
        Launch launch = new Launch(String.valueOf(functions.get((long) a[0])), shape, (long) a[8], first, second);
        return given((long) a[8], () -> launches.add(launch));
    }

    private static <T> int create(Object out, Map<Long, T> into, T made) {
        long number = NUMBERS.incrementAndGet();
        into.put(number, made);
        return put(out, number);
    }

    private @Nullable CompletableFuture<Void> stream(Object number) {
        Queue queue = streams.get((long) number);
        if (queue == null) return null;
        synchronized (queue) {
            return queue.last;
        }
    }

    private static int query(@Nullable CompletableFuture<Void> work) {
        return work == null ? INVALID_HANDLE : work.isDone() ? 0 : NOT_READY;
    }

    private int join(@Nullable CompletableFuture<Void> work) {
        if (work == null) return INVALID_HANDLE;
        work.join();
        return lost;
    }

    private long used() {
        synchronized (memory) {
            return memory.values().stream().mapToLong(MemorySegment::byteSize).sum();
        }
    }

    private int allocate(Object out, long bytes, Map<Long, MemorySegment> into) {
        if (into == memory && used() + bytes > capacity) return OUT_OF_MEMORY;
        MemorySegment block = Arena.ofAuto().allocate(bytes, 256);
        owners.put(block.address(), current.get());
        into.put(block.address(), block);
        return put(out, block.address());
    }

    private int range(Object[] a) {
        synchronized (memory) {
            for (MemorySegment one : memory.values()) {
                long offset = (long) a[2] - one.address();
                if (offset >= 0 && offset < one.byteSize()) return put(a[0], one.address()) + put(a[1], one.byteSize());
            }
        }
        return INVALID_VALUE;
    }

    private int copy(long to, long from, Object[] a, long onDevice) {
        long bytes = (long) a[2];
        if (!has(onDevice, bytes)) return INVALID_VALUE;
        return given((long) a[3], () -> MemorySegment.copy(at(from), 0, at(to), 0, bytes));
    }

    private int fill(Object[] a, int width) {
        long to = (long) a[0], count = (long) a[2];
        if (!has(to, count * width)) return INVALID_VALUE;
        int pattern = (int) a[1];
        return given((long) a[3], () -> {
            for (long i = 0; i < count * width; i++) {
                at(to).set(JAVA_BYTE, i, (byte) (pattern >> Byte.SIZE * (int) (i % width)));
            }
        });
    }

    private static int put(Object out, int value) {
        at(out).set(JAVA_INT, 0, value);
        return 0;
    }

    private static int put(Object out, long value) {
        at(out).set(JAVA_LONG, 0, value);
        return 0;
    }

    private static int text(Object out, String text) {
        at(out).setString(0, text);
        return 0;
    }

    private static int bytes(Object out, byte[] bytes) {
        MemorySegment.copy(bytes, 0, at(out), JAVA_BYTE, 0, bytes.length);
        return 0;
    }
}
