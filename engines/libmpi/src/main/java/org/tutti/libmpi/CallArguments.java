package org.tutti.libmpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.tutti.spi.Collective.Operand;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.type.ElementType;

/// The send or receive arguments of a collective call in the library's form: address, count and type of one
/// block, or the counts and displacements of several blocks.
final class CallArguments {
    MemorySegment address = MemorySegment.NULL;

    /// Number of elements of `type` in a block; unused with `counts`.
    long count;

    long type;

    /// The numbers of elements of the blocks: one `int` or `MPI_Count` per rank.
    MemorySegment counts = MemorySegment.NULL;

    MemorySegment displacements = MemorySegment.NULL;

    private boolean typeIsOwn;

    /// Sets no data: this rank does not send, or does not receive.
    void nothing(ElementType of) {
        address = MemorySegment.NULL;
        counts = MemorySegment.NULL;
        displacements = MemorySegment.NULL;
        count = 0;
        type = Types.of(of);
    }

    /// Sets count and type for one block of `operand`, or for one such block per rank. Without `large` counts,
    /// a block of more elements than an `int` can count becomes one element of a large type.
    void block(Operand operand, boolean large) {
        block(operand.type, operand.count, large);
    }

    void block(ElementType of, long elements, boolean large) {
        counts = MemorySegment.NULL;
        displacements = MemorySegment.NULL;
        typeIsOwn = !large && !Types.fitsInt(elements);
        count = typeIsOwn ? 1 : elements;
        type = typeIsOwn ? Types.contiguous(of, elements) : Types.of(of);
    }

    /// Sets the blocks of `operand`, one per rank of `c`'s communicator; counts and displacements are stored in
    /// `room`, which holds [#argumentBytes] bytes. If the values do not fit into an `int`, and `large` is
    /// false, the unit of the values is the largest number of elements that divides all values.
    void blocks(NativeCollective c, Operand operand, boolean large, MemorySegment room) {
        ElementType of = operand.type;
        int size = c.nativeComm().size();
        long unit = large || fit(operand, size) ? 1 : unit(c, operand, size);
        boolean singleRank = size == 1; // MPICH 4.0.2 ignores the displacement of the only rank
        if (singleRank && operand.count(0) > 0) {
            address = TypedTransfers.slice(address, operand.displacement(0) * of.bytes());
        }
        counts = room;
        displacements = TypedTransfers.slice(room, (large ? 8L : 4L) * size);
        for (int r = 0; r < size; r++) {
            long count = operand.count(r) / unit;
            long displacement = singleRank ? 0 : operand.displacement(r) / unit;
            if (large) {
                counts.setAtIndex(JAVA_LONG, r, count);
                displacements.setAtIndex(JAVA_LONG, r, displacement);
            } else {
                counts.setAtIndex(JAVA_INT, r, (int) count);
                displacements.setAtIndex(JAVA_INT, r, (int) displacement);
            }
        }
        typeIsOwn = unit > 1;
        type = typeIsOwn ? Types.contiguous(of, unit) : Types.of(of);
    }

    /// Uses the counts and the type of `other`, which remains the owner of the type.
    void like(CallArguments other) {
        counts = other.counts;
        displacements = other.displacements;
        count = other.count;
        type = other.type;
    }

    static long argumentBytes(int size) {
        return 16L * size;
    }

    /// Frees the type after the call. The library keeps it until pending communication is complete.
    void close() {
        if (typeIsOwn) Types.free(type);
        typeIsOwn = false;
    }

    /// Returns whether each count and each displacement fits into an `int`.
    static boolean fit(Operand operand, int size) {
        if (operand.blocks == null) return Types.fitsInt(operand.count * size);
        for (int r = 0; r < size; r++) {
            if (!Types.fitsInt(operand.count(r)) || !Types.fitsInt(operand.displacement(r))) return false;
        }
        return true;
    }

    /// Returns the largest number of elements that divides every count and displacement. Throws if the
    /// quotients do not fit into an `int`.
    private static long unit(NativeCollective c, Operand operand, int size) {
        long unit = 0, reach = 0;
        for (int r = 0; r < size; r++) {
            long count = operand.count(r), displacement = operand.displacement(r);
            unit = gcd(gcd(unit, count), displacement);
            reach = Math.max(reach, Math.max(count, displacement));
        }
        if (Types.fitsInt(reach / unit)) return unit;
        throw Fault.argument(
                PredefinedErrorClass.ERR_COUNT,
                c.operation,
                "blocks reach " + reach + " elements of " + operand.type
                        + " into the buffer, which this MPI library cannot express (it has no MPI_Gatherv_c)",
                c.comm);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
