package org.tutti.spi.type;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MovesTest {
    /// The maximum bytecode length of a method that the compiler inlines, however hot.
    private static final int FREQ_INLINE_SIZE = 325;

    private static final int ROOM = 160;

    private static final List<Supplier<MemorySegment>> KINDS = List.of(
            () -> Arena.ofAuto().allocate(ROOM, 8),
            () -> MemorySegment.ofArray(new byte[ROOM]),
            () -> MemorySegment.ofArray(new short[ROOM / Short.BYTES]),
            () -> MemorySegment.ofArray(new char[ROOM / Character.BYTES]),
            () -> MemorySegment.ofArray(new int[ROOM / Integer.BYTES]),
            () -> MemorySegment.ofArray(new long[ROOM / Long.BYTES]),
            () -> MemorySegment.ofArray(new float[ROOM / Float.BYTES]),
            () -> MemorySegment.ofArray(new double[ROOM / Double.BYTES]));

    @Test
    void copiesRunsOfAllLengthsBetweenAllKindsOfMemory() {
        for (Supplier<MemorySegment> one : KINDS) {
            for (Supplier<MemorySegment> other : KINDS) {
                for (int bytes = 0; bytes <= 80; bytes++) {
                    MemorySegment from = one.get(), to = other.get();
                    for (int i = 0; i < ROOM; i++) from.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
                    Moves.copy(from, 3, to, 5, bytes);
                    for (int i = 0; i < ROOM; i++) {
                        int expected = i >= 5 && i < 5 + bytes ? i - 5 + 3 + 1 : 0;
                        assertThat(to.get(ValueLayout.JAVA_BYTE, i))
                                .as("byte %d of %d from %s to %s", i, bytes, from, to)
                                .isEqualTo((byte) expected);
                    }
                }
            }
        }
    }

    /// [Moves#copy] must not be inlined: otherwise the compiler would discard and recompile the calling method
    /// for each new kind of memory.
    @Test
    void isTooLongToBePutIntoItsCallers() throws IOException {
        assertThat(codeLength("copy")).isGreaterThan(FREQ_INLINE_SIZE);
        assertThat(codeLength("words")).isLessThan(FREQ_INLINE_SIZE);
    }

    private static int codeLength(String method) throws IOException {
        try (InputStream bytes = Objects.requireNonNull(Moves.class.getResourceAsStream("Moves.class"))) {
            ClassModel moves = ClassFile.of().parse(bytes.readAllBytes());
            return moves.methods().stream()
                    .filter(m -> m.methodName().equalsString(method))
                    .map(m -> (CodeAttribute) m.code().orElseThrow())
                    .findFirst()
                    .orElseThrow()
                    .codeLength();
        }
    }
}
