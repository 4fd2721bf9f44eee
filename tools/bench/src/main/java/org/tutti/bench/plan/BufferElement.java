package org.tutti.bench.plan;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;

/// The element type of a message, under Java's names and OSU's.
public enum BufferElement {
    BYTE(Datatype.BYTE, "mpi_char"),
    INT(Datatype.INT, "mpi_int"),
    LONG(Datatype.LONG, "mpi_long"),
    FLOAT(Datatype.FLOAT, "mpi_float"),
    DOUBLE(Datatype.DOUBLE, "mpi_double");

    private final Datatype datatype;
    private final String osuWord;

    BufferElement(Datatype datatype, String osuWord) {
        this.datatype = datatype;
        this.osuWord = osuWord;
    }

    public Datatype datatype() {
        return datatype;
    }

    public int bytes() {
        return (int) datatype.sizeBytes();
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns null for an unknown name.
    public static @Nullable BufferElement named(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        for (BufferElement t : values()) if (t.word().equals(lower) || t.osuWord.equals(lower)) return t;
        return null;
    }

    /// Stores a small integer as element `i`; bytes wrap around.
    public void put(MemorySegment memory, long i, long value) {
        switch (this) {
            case BYTE -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) value);
            case INT -> memory.setAtIndex(ValueLayout.JAVA_INT, i, (int) value);
            case LONG -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, value);
            case FLOAT -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
            case DOUBLE -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        }
    }

    /// Whether element `i` has the value that [#put] stores.
    public boolean holds(MemorySegment memory, long i, long value) {
        return switch (this) {
            case BYTE -> memory.get(ValueLayout.JAVA_BYTE, i) == (byte) value;
            case INT -> memory.getAtIndex(ValueLayout.JAVA_INT, i) == (int) value;
            case LONG -> memory.getAtIndex(ValueLayout.JAVA_LONG, i) == value;
            case FLOAT -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, i) == value;
            case DOUBLE -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i) == value;
        };
    }
}
