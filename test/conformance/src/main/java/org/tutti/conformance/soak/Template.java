package org.tutti.conformance.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Mpi;

/// Random bytes, equal on all ranks. The content of each message is a part of the template.
final class Template {
    static final int BYTES = MessageSequence.LONGEST + (1 << 20);

    /// Copies of the template, one in each kind of memory.
    private final Area[] areas;

    Template(Mpi mpi, long seed) {
        areas = Area.ofEachKind(mpi, BYTES);
        SplittableRandom random = new SplittableRandom(seed);
        MemorySegment first = memory();
        for (int i = 0; i < BYTES; i += Long.BYTES) first.set(ValueLayout.JAVA_LONG_UNALIGNED, i, random.nextLong());
        for (Area area : areas) area.memory().copyFrom(first);
    }

    private MemorySegment memory() {
        return areas[0].memory();
    }

    /// Returns the content of the message, as a part of the template in memory of the given kind.
    Buf buf(MessageSequence.SoakMessage message, int kind) {
        return areas[kind].buf(message.at(), message.bytes());
    }

    void copy(MessageSequence.SoakMessage message, Area to, int at) {
        MemorySegment.copy(memory(), message.at(), to.memory(), at, message.bytes());
    }

    /// Returns the index of the first byte of the message that differs from the bytes at `at` in `area`, or -1.
    long mismatch(MessageSequence.SoakMessage message, Area area, int at) {
        int from = message.at();
        int bytes = message.bytes();
        return MemorySegment.mismatch(memory(), from, from + (long) bytes, area.memory(), at, at + (long) bytes);
    }

    /// Returns the byte of the message at `index`.
    byte at(MessageSequence.SoakMessage message, long index) {
        return memory().get(ValueLayout.JAVA_BYTE, message.at() + index);
    }
}
