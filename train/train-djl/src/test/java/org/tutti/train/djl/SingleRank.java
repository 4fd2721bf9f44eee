package org.tutti.train.djl;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tutti.mpi.Tutti;
import org.tutti.train.ProcessGroup;
import org.tutti.train.ProgressMode;
import org.tutti.train.model.DType;
import org.tutti.train.model.TensorStorage;

/// Groups for tests in one JVM, where DJL can collect the gradients of only one rank.
final class SingleRank {
    private SingleRank() {}

    interface Body {
        void run(ProcessGroup group) throws Exception;
    }

    /// A real group with a single rank.
    static void run(Body body) {
        Tutti.local(1, mpi -> {
            try (ProcessGroup group = ProcessGroup.of(mpi, mpi.world())) {
                body.run(group);
            }
        });
    }

    /// A group that reports rank `rank` of `size`, although no other ranks exist. A sum returns this rank's
    /// values.
    static ProcessGroup place(int rank, int size) {
        return new Place(rank, size);
    }

    private record Place(int rank, int size) implements ProcessGroup {
        @Override
        public int localRank() {
            return rank;
        }

        @Override
        public int localSize() {
            return size;
        }

        @Override
        public String backend() {
            return "none";
        }

        @Override
        public void barrier() {}

        @Override
        public void broadcast(TensorStorage data, int root) {}

        @Override
        public void allreduce(MemorySegment data, DType type) {}

        @Override
        public PendingAllreduce startAllreduce(TensorStorage data, DType type, ProgressMode mode) {
            throw new UnsupportedOperationException("a single rank has no place");
        }

        @Override
        public List<String> allgather(String mine) {
            return java.util.Collections.nCopies(size, mine);
        }

        @Override
        public long[] allgather(long... mine) {
            long[] all = new long[mine.length * size];
            for (int r = 0; r < size; r++) System.arraycopy(mine, 0, all, r * mine.length, mine.length);
            return all;
        }

        @Override
        public MemorySegment allocate(long bytes) {
            return java.lang.foreign.Arena.ofAuto().allocate(bytes, 8);
        }

        @Override
        public void free(MemorySegment memory) {}

        @Override
        public void allgather(MemorySegment mine, MemorySegment all) {}

        @Override
        public void reduceScatter(MemorySegment all, MemorySegment mine, DType type) {}

        @Override
        public void close() {}
    }
}
