package org.tutti.conformance.random;

import java.util.SplittableRandom;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.MemoryKind;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;

/// The input of one step of a random program.
///
/// @param seed the seed of the step, equal on all ranks of `comm`
/// @param shared returns equal values on all ranks, provided that every rank draws equally often
/// @param own the random choices of this rank
record Step(Trial trial, Comm comm, long seed, SplittableRandom shared, SplittableRandom own) {
    private static final MemoryKind[] KINDS = {
        MemoryKind.ARRAY,
        MemoryKind.SLICE,
        MemoryKind.NATIVE,
        MemoryKind.DIRECT_NIO,
        MemoryKind.HEAP_NIO,
        MemoryKind.ROWS
    };

    private static final Datatype[] TYPES = {
        Datatype.BYTE, Datatype.CHAR, Datatype.SHORT, Datatype.INT, Datatype.LONG, Datatype.FLOAT, Datatype.DOUBLE
    };

    int me() {
        return comm.rank();
    }

    int size() {
        return comm.size();
    }

    /// Returns a step with a different seed, for a part of this step.
    Step part(int number) {
        long partSeed = seed * 0x9e3779b97f4a7c15L + number;
        return new Step(trial, comm, partSeed, new SplittableRandom(partSeed), own);
    }

    /// Returns a step with a different seed on `another` communicator, with independent choices, for a second
    /// thread.
    Step on(Comm another, int number) {
        long partSeed = seed * 0x9e3779b97f4a7c15L - number;
        return new Step(trial, another, partSeed, new SplittableRandom(partSeed), own.split());
    }

    Datatype type() {
        return TYPES[shared.nextInt(TYPES.length)];
    }

    /// Returns a count that is usually small, and sometimes large enough for several pieces.
    int count() {
        return switch (shared.nextInt(8)) {
            case 0 -> 0;
            case 1, 2 -> 1;
            case 3, 4, 5 -> shared.nextInt(2, 40);
            case 6 -> shared.nextInt(40, 3_000);
            default -> shared.nextInt(3_000, 30_000);
        };
    }

    /// Returns a box in a kind of memory that this rank chooses.
    Box box(Datatype type, int count) {
        return Box.of(trial, 0, KINDS[own.nextInt(KINDS.length)], type, count);
    }

    /// Returns `0` to `n - 1` in an order that this rank chooses.
    int[] order(int n) {
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            int j = own.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
