package mpjbuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/// Allocates memory for [Buffer]s, and reuses destroyed memory. The contents are undefined.
public abstract class BufferFactory {
    private static final int SMALLEST_BYTES = 64, LARGEST_KEPT_BYTES = 1 << 20, MOST_KEPT = 16;

    /// Free memory, by the binary logarithm of the length.
    private static final ArrayDeque<byte[]>[] FREE = pools();

    private BufferFactory() {}

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ArrayDeque<byte[]>[] pools() {
        ArrayDeque<byte[]>[] pools = new ArrayDeque[Integer.SIZE];
        for (int i = 0; i < pools.length; i++) pools[i] = new ArrayDeque<>(0);
        return pools;
    }

    /// Returns memory of `capacity` bytes.
    public static RawBuffer create(int capacity) {
        if (capacity < 0) throw new BufferException("create: capacity=" + capacity + " is negative");
        if (capacity > LARGEST_KEPT_BYTES) return view(ByteBuffer.allocate(capacity));
        int length = Math.max(SMALLEST_BYTES, Integer.highestOneBit(Math.max(1, 2 * capacity - 1)));
        ArrayDeque<byte[]> pool = FREE[Integer.numberOfTrailingZeros(length)];
        byte[] array;
        synchronized (pool) {
            array = pool.poll();
        }
        return new Pooled(array == null ? new byte[length] : array, capacity);
    }

    /// Releases memory that [#create] has returned. The program must not use this memory afterwards. A second
    /// call has no effect.
    public static void destroy(RawBuffer buffer) {
        if (!(buffer instanceof Pooled pooled) || !pooled.isDestroyed.compareAndSet(false, true)) return;
        ArrayDeque<byte[]> pool = FREE[Integer.numberOfTrailingZeros(pooled.array.length)];
        synchronized (pool) {
            if (pool.size() < MOST_KEPT) pool.push(pooled.array);
        }
    }

    private static final class Pooled implements RawBuffer {
        private final byte[] array;
        private final int capacity;
        private final AtomicBoolean isDestroyed = new AtomicBoolean();

        Pooled(byte[] array, int capacity) {
            this.array = array;
            this.capacity = capacity;
        }

        @Override
        public ByteBuffer memory() {
            return ByteBuffer.wrap(array, 0, capacity).slice().order(ByteOrder.nativeOrder());
        }
    }

    static RawBuffer view(ByteBuffer memory) {
        return () -> memory.duplicate().order(ByteOrder.nativeOrder());
    }
}
