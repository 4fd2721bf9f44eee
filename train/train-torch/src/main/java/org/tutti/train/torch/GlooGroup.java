package org.tutti.train.torch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.BroadcastOptions;
import org.bytedeco.pytorch.ByteVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.StringVector;
import org.bytedeco.pytorch.TCPStore;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.Work;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.Rendezvous;
import org.tutti.train.TrainingException;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;
import org.tutti.train.spi.GroupLifecycle;
import org.tutti.train.spi.GroupProtocol;
import org.tutti.train.torch.tensor.Tensors;

/// A group that uses Gloo. To gather values, the ranks sum arrays: each rank passes an array in which all parts
/// except this rank's part are zero. Therefore, gathering requires no operation of Gloo except the sum.
final class GlooGroup implements ProcessGroup, GroupProtocol {
    private final ProcessGroupGloo gloo;
    private final TCPStore store;
    /// Allocated memory, by address.
    private final Map<Long, Arena> allocated = new ConcurrentHashMap<>();

    private final int rank;
    private final int size;
    private final int localRank;
    private final int localSize;
    private boolean closed;
    private final GlooStalls stalls;

    GlooGroup(ProcessGroupGloo gloo, TCPStore store, Rendezvous rendezvous, List<String> hosts) {
        this.gloo = gloo;
        this.store = store;
        rank = rendezvous.rank();
        size = rendezvous.size();
        stalls = new GlooStalls(
                new StoredWaits(store),
                rank,
                hosts,
                GlooStalls.time(Rendezvous.stallSeconds()),
                rendezvous.timeout(),
                System.err::println);
        String here = hosts.get(rank);
        localRank = rendezvous.localRank().orElseGet(() -> Collections.frequency(hosts.subList(0, rank), here));
        localSize = rendezvous.localSize().orElseGet(() -> Collections.frequency(hosts, here));
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int localRank() {
        return localRank;
    }

    @Override
    public int localSize() {
        return localSize;
    }

    @Override
    public String backend() {
        return "gloo";
    }

    @Override
    public void barrier() {
        try (PointerScope scope = new PointerScope()) {
            end("barrier", gloo.barrier());
        }
    }

    @Override
    public void broadcast(TensorStorage storage, int root) {
        MemorySegment data = storage.memory("ProcessGroup.broadcast over gloo");
        try (Arena temporary = Arena.ofConfined();
                PointerScope scope = new PointerScope()) {
            MemorySegment there = outside(data, temporary);
            end("broadcast", gloo.broadcast(vector(there, DType.U8), new BroadcastOptions().rootRank(root)));
            if (!data.isNative()) data.copyFrom(there);
        }
    }

    @Override
    public void allreduce(MemorySegment data, DType type) {
        try (Arena temporary = Arena.ofConfined();
                PointerScope scope = new PointerScope()) {
            MemorySegment there = outside(data, temporary);
            end("allreduce", gloo.allreduce(vector(there, type)));
            if (!data.isNative()) data.copyFrom(there);
        }
    }

    /// Starts a sum, which Gloo's threads execute.
    @Override
    public PendingAllreduce startAllreduce(TensorStorage storage, DType type, ProgressMode mode) {
        MemorySegment data = storage.memory("ProcessGroup.startAllreduce over gloo");
        if (!data.isNative()) throw new IllegalArgumentException("an array cannot be reduced while Java may move it");
        try (PointerScope scope = new PointerScope()) {
            Work work = gloo.allreduce(vector(data, type));
            work.retainReference();
            return () -> {
                try {
                    end("allreduce", work);
                } finally {
                    work.releaseReference();
                }
            };
        }
    }

    @Override
    public void allgather(MemorySegment mine, MemorySegment all) {
        checkParts(mine, all);
        all.fill((byte) 0);
        all.asSlice(rank * mine.byteSize(), mine.byteSize()).copyFrom(mine);
        if (all.byteSize() > 0) allreduce(all, DType.U8);
    }

    @Override
    public void reduceScatter(MemorySegment all, MemorySegment mine, DType type) {
        checkParts(mine, all);
        try (Arena temporary = Arena.ofConfined()) {
            MemorySegment sums =
                    temporary.allocate(Math.max(1, all.byteSize()), 64).asSlice(0, all.byteSize());
            allreduce(sums.copyFrom(all), type);
            mine.copyFrom(sums.asSlice(rank * mine.byteSize(), mine.byteSize()));
        }
    }

    private void checkParts(MemorySegment part, MemorySegment all) {
        if (part.byteSize() * size == all.byteSize()) return;
        throw new IllegalArgumentException("a part of " + part.byteSize() + " bytes, of which " + size + " are not the "
                + all.byteSize() + " bytes of all");
    }

    @Override
    public List<String> allgather(String mine) {
        byte[] bytes = mine.getBytes(UTF_8);
        long[] lengths = allgather(bytes.length);
        long before = 0;
        long total = 0;
        for (int r = 0; r < size; r++) {
            if (r < rank) before += lengths[r];
            total += lengths[r];
        }
        byte[] all = new byte[Math.toIntExact(total)];
        System.arraycopy(bytes, 0, all, (int) before, bytes.length);
        if (total > 0) allreduce(MemorySegment.ofArray(all), DType.U8);
        List<String> words = new ArrayList<>();
        int at = 0;
        for (long length : lengths) {
            words.add(new String(all, at, (int) length, UTF_8));
            at += (int) length;
        }
        return words;
    }

    @Override
    public long[] allgather(long... mine) {
        long[] all = new long[mine.length * size];
        System.arraycopy(mine, 0, all, mine.length * rank, mine.length);
        if (all.length > 0) allreduce(MemorySegment.ofArray(all), DType.I64);
        return all;
    }

    @Override
    public long[] endOfStep(long... mine) {
        return allgather(mine);
    }

    /// Has no effect: [#close] never waits for other ranks.
    @Override
    public void setFailing(boolean failing) {}

    @Override
    public MemorySegment allocate(long bytes) {
        Arena arena = Arena.ofShared();
        MemorySegment made = arena.allocate(bytes, 64);
        allocated.put(made.address(), arena);
        return made;
    }

    @Override
    public void free(MemorySegment memory) {
        Arena arena = allocated.remove(memory.address());
        if (arena != null) arena.close();
    }

    /// Returns memory that does not move, as Gloo requires.
    private static MemorySegment outside(MemorySegment data, Arena temporary) {
        return data.isNative() ? data : temporary.allocate(data.byteSize(), 64).copyFrom(data);
    }

    private static TensorVector vector(MemorySegment data, DType type) {
        switch (type) {
            case F64, F32, F16, BF16, I64, I32, U8 -> {
                // Gloo supports sums of these types
            }
            case F8_E4M3, F8_E5M2, I16, I8, U64, U32, U16, BOOL ->
                throw new IllegalArgumentException("no messages of " + type);
        }
        Tensor tensor = Tensors.over(data, type);
        TensorVector vector = new TensorVector(tensor);
        tensor.releaseReference(); // the vector holds a separate reference
        return vector;
    }

    private void end(String operation, Work work) {
        stalls.begin(operation);
        try {
            work._wait();
        } catch (RuntimeException e) {
            throw new TrainingException(
                    operation + " over gloo failed on rank " + rank + " of " + size
                            + "; probably another rank has ended, see the messages of other ranks (" + Gloo.firstLine(e)
                            + ")",
                    e);
        } finally {
            stalls.end();
        }
    }

    /// Publishes the sequence numbers of the ranks' waits in the store over which the ranks have connected.
    private record StoredWaits(TCPStore store) implements GlooStalls.PublishedWaits {
        private static final String KEY = "tutti/wait/";

        @Override
        public void publish(int rank, long wait) {
            try (PointerScope scope = new PointerScope()) {
                store.set(KEY + rank, new ByteVector(Long.toString(wait).getBytes(UTF_8)));
            }
        }

        @Override
        public long published(int rank) {
            try (PointerScope scope = new PointerScope()) {
                if (!store.check(new StringVector(KEY + rank))) return 0;
                return Long.parseLong(Gloo.text(store.get(KEY + rank)));
            }
        }
    }

    /// Does not wait for the other ranks, because the other ranks may have failed, or may no longer need this
    /// rank or the store.
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        boolean isUnused = stalls.stop();
        GroupLifecycle.closing(this);
        gloo.releaseReference();
        if (isUnused) store.releaseReference();
        allocated.values().forEach(Arena::close);
        allocated.clear();
    }
}
