package org.tutti.libmpi.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.libmpi.abi.Abi;
import org.tutti.libmpi.abi.AbiTable;

class ConstantsTest {
    @ParameterizedTest
    @EnumSource
    void everyConstantIsInEveryTable(Abi abi) throws Exception {
        AbiTable table = abi.table();
        // does not run the class initializer, which needs a library
        Class<?> constants = Class.forName(
                "org.tutti.libmpi.raw.Constants", false, getClass().getClassLoader());
        for (Field field : constants.getDeclaredFields()) {
            if (field.getName().startsWith("MPI_"))
                assertThat(table.has(field.getName())).as(field.getName()).isTrue();
        }
        assertThat(table.has("offsetof(MPI_Status,MPI_SOURCE)")).isTrue();
        assertThat(table.has("offsetof(MPI_Status,MPI_TAG)")).isTrue();
    }
}
