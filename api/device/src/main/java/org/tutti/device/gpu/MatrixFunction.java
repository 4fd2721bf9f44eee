package org.tutti.device.gpu;

import org.tutti.device.table.FunctionRows;

/// The functions of cuBLAS or hipBLAS that Tutti calls.
enum MatrixFunction {
    CREATE,
    DESTROY,
    SET_STREAM,
    /// The arguments are the handle, two operations, three numbers, `alpha`, `a`, `lda`, `b`, `ldb`, `beta`,
    /// `c` and `ldc`.
    MULTIPLY_FLOATS,
    MULTIPLY_DOUBLES;

    static final FunctionRows<MatrixFunction> ROWS = FunctionRows.read(MatrixFunction.class, "matrices.tsv");
}
