package org.tutti.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.spi.reduce.PredefinedReduction;

class OpTest {
    private static final List<Datatype> ALL = List.of(
            Datatype.BYTE,
            Datatype.BOOLEAN,
            Datatype.CHAR,
            Datatype.SHORT,
            Datatype.INT,
            Datatype.LONG,
            Datatype.FLOAT,
            Datatype.DOUBLE,
            Datatype.PACKED,
            Datatype.DOUBLE_COMPLEX,
            Datatype.FLOAT_COMPLEX,
            Datatype.DOUBLE_INT,
            Datatype.LONG_INT,
            Datatype.FLOAT_INT,
            Datatype.INT_INT);
    private static final List<String> WHOLE = List.of("BYTE", "CHAR", "SHORT", "INT", "LONG");

    /// Compares the table in the documentation of [Op], read from the source, with the code.
    @Test
    void theTableIsTrue() throws IOException {
        TreeMap<String, Set<String>> written = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("src/main/java/org/tutti/mpi/Op.java"))) {
            boolean isReductions = !line.contains("`of") && !line.contains("`REPLACE");
            if (!line.startsWith("/// | `") || !isReductions) continue;
            String[] cells = line.split("[|]");
            for (String op : cells[1].replace("`", "").trim().split(" ")) written.put(op, types(cells[2]));
        }
        TreeMap<String, Set<String>> real = new TreeMap<>();
        for (PredefinedReduction op : PredefinedReduction.values()) {
            Set<String> types = new LinkedHashSet<>();
            for (Datatype type : ALL) if (op.supports(type.elements())) types.add(type.name());
            real.put(op.name(), types);
        }
        assertThat(written).isEqualTo(real);
    }

    private static Set<String> types(String cell) {
        Set<String> types = new LinkedHashSet<>();
        if (cell.contains("all numbers")) types.addAll(List.of("FLOAT", "DOUBLE"));
        if (cell.contains("all numbers") || cell.contains("integers")) types.addAll(WHOLE);
        if (cell.contains("complex numbers")) types.addAll(List.of("DOUBLE_COMPLEX", "FLOAT_COMPLEX"));
        for (Datatype type : ALL) if (cell.matches(".*\\b" + type.name() + "\\b.*")) types.add(type.name());
        return types;
    }

    @Test
    void aKernelSeesExactlyTheElementsAndMayNotWriteToTheLeft() {
        List<Long> lengths = new ArrayList<>();
        Op op = Op.of("look", Datatype.SHORT, (in, inout, count) -> {
            lengths.addAll(List.of(in.byteSize(), inout.byteSize(), count));
            assertThatThrownBy(() -> in.fill((byte) 1)).isInstanceOf(IllegalArgumentException.class);
            inout.fill((byte) 0);
        });
        byte[] left = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] right = {1, 2, 3, 4, 5, 6, 7, 8};
        op.reduction()
                .apply(Datatype.SHORT.elements(), MemorySegment.ofArray(left), 2, MemorySegment.ofArray(right), 3, 2);
        assertThat(lengths).containsExactly(4L, 4L, 2L);
        assertThat(right).containsExactly(1, 2, 3, 0, 0, 0, 0, 8);
        assertThat(op.supports(Datatype.SHORT)).isTrue();
        assertThat(op.supports(Datatype.CHAR)).isFalse();
    }

    @Test
    void userOperationsAreNotCommutativeByDefault() {
        Op op = Op.ofFloat("least", Math::min);
        assertThat(op.isCommutative()).isFalse();
        assertThat(op.commutative().isCommutative()).isTrue();
        assertThat(op.commutative().name()).isEqualTo("least");
    }
}
