package org.tutti.libmpi.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AbiTableTest {
    private static final SymbolLookup NOTHING = name -> Optional.empty();

    @Test
    void readsLiterals() {
        assertThat(Abi.MPICH.table().value("MPI_ANY_SOURCE", NOTHING)).isEqualTo(-2);
        assertThat(Abi.STANDARD.table().value("MPI_COMM_WORLD", NOTHING)).isEqualTo(0x101);
        assertThat(Abi.OPEN_MPI.table().value("MPI_ERR_TRUNCATE", NOTHING)).isEqualTo(15);
    }

    @Test
    void extendsTheSignOfIntHandles() {
        assertThat(Abi.MPICH.table().value("MPI_FLOAT_INT", NOTHING)).isEqualTo(0xffffffff8c000000L);
    }

    @Test
    void findsSymbols() {
        SymbolLookup symbols = name ->
                name.equals("ompi_mpi_comm_world") ? Optional.of(MemorySegment.ofAddress(0x1234)) : Optional.empty();
        assertThat(Abi.OPEN_MPI.table().value("MPI_COMM_WORLD", symbols)).isEqualTo(0x1234);
        assertThatThrownBy(() -> Abi.OPEN_MPI.table().value("MPI_COMM_SELF", symbols))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessage("MPI_COMM_SELF is not in this MPI library (OPEN_MPI)");
    }
}
