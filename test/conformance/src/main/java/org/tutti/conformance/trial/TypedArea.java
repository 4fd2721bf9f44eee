package org.tutti.conformance.trial;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntUnaryOperator;
import org.tutti.mpi.Buf;

/// Memory for `count` elements of a type, with some bytes before and after.
public final class TypedArea {
    private static final int AROUND = 16;
    private static final byte UNTOUCHED = 0x5a;

    private final TypeModel model;
    private final int count;
    private final long base;
    private final MemorySegment memory;

    /// Creates the memory on the heap, or outside.
    public TypedArea(TypeModel model, int count, boolean heap) {
        this.model = model;
        this.count = count;
        long reach = Math.max(0, count - 1) * model.extent();
        base = AROUND - Math.min(0, reach + model.trueLower()) - Math.min(0, reach) - Math.min(0, model.trueLower());
        long bytes = base + Math.max(0, reach) + Math.max(0, model.trueUpper()) + AROUND;
        memory = heap
                ? MemorySegment.ofArray(new byte[Math.toIntExact(bytes)])
                : Arena.ofAuto().allocate(bytes);
        memory.fill(UNTOUCHED);
    }

    public Buf buf() {
        return Buf.buf(memory, base, count, model.type());
    }

    public long packedBytes() {
        return count * model.size();
    }

    /// Sets byte i of the packed data to `value.applyAsInt(i)`.
    public TypedArea fill(IntUnaryOperator value) {
        model.unpack(memory, base, count, bytes(value), packedBytes());
        return this;
    }

    /// Returns the bytes of the packed data.
    public IntUnaryOperator packed() {
        byte[] packed = new byte[Math.toIntExact(packedBytes())];
        model.pack(memory, base, count, MemorySegment.ofArray(packed), packed.length);
        return i -> packed[i];
    }

    /// Checks the first `length` bytes of the packed data, and that all other memory is unchanged.
    public void expect(IntUnaryOperator value, long length, String label) {
        TypedArea expected = new TypedArea(model, count, true);
        model.unpack(expected.memory, expected.base, count, bytes(value), length);
        long at = expected.memory.mismatch(memory);
        if (at < 0) return;
        throw new AssertionError(label + ": byte " + at + " of the memory, element 0 is at " + base + ": was "
                + memory.get(ValueLayout.JAVA_BYTE, at) + " and not "
                + expected.memory.get(ValueLayout.JAVA_BYTE, at));
    }

    /// Checks all bytes of the packed data.
    public void expect(IntUnaryOperator value, String label) {
        expect(value, packedBytes(), label);
    }

    private MemorySegment bytes(IntUnaryOperator value) {
        byte[] packed = new byte[Math.toIntExact(packedBytes())];
        for (int i = 0; i < packed.length; i++) packed[i] = (byte) value.applyAsInt(i);
        return MemorySegment.ofArray(packed);
    }
}
