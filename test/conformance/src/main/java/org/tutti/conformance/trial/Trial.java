package org.tutti.conformance.trial;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// The execution of one contract on one rank.
public final class Trial {
    private final Mpi mpi;
    private final Scratch scratch;
    private final SplittableRandom random;

    /// Memory of `Mpi.alloc` that is never freed. The trials of a rank use it one after another.
    public static final class Scratch {
        private static final int SLOTS = 2;
        private final MemorySegment[] slots = new MemorySegment[SLOTS];

        public Scratch() {
            for (int i = 0; i < SLOTS; i++) slots[i] = MemorySegment.NULL;
        }

        MemorySegment alloc(Mpi mpi, int slot, long bytes) {
            if (slots[slot].byteSize() < bytes) slots[slot] = mpi.alloc(Math.max(1 << 20, bytes));
            return slots[slot].asSlice(0, bytes);
        }
    }

    public Trial(Mpi mpi, long seed, Scratch scratch) {
        this.mpi = mpi;
        this.scratch = scratch;
        random = new SplittableRandom(seed);
    }

    public Mpi mpi() {
        return mpi;
    }

    public Comm world() {
        return mpi.world();
    }

    public int rank() {
        return mpi.world().rank();
    }

    public int size() {
        return mpi.world().size();
    }

    public int right() {
        return (rank() + 1) % size();
    }

    public int left() {
        return (rank() + size() - 1) % size();
    }

    public boolean onShm() {
        return mpi.engineName().equals("shm");
    }

    /// Returns the rank in the form used by error texts: `rank 1 of 4, WORLD`.
    public String where() {
        return "rank " + rank() + " of " + size() + ", WORLD";
    }

    /// Returns a generator with the same numbers on every rank, provided that every rank draws equally often.
    public SplittableRandom random() {
        return random;
    }

    /// Returns memory of `Mpi.alloc` in one of two slots, valid until the next call for that slot.
    public MemorySegment alloc(int slot, long bytes) {
        return scratch.alloc(mpi, slot, bytes);
    }
}
