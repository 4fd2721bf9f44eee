package org.tutti.device.gpu;

import org.tutti.device.table.FunctionRows;

/// The functions of a run-time compiler, NVRTC or HIPRTC, that Tutti calls.
enum CompilerFunction {
    VERSION,
    ARCHITECTURE_COUNT,
    ARCHITECTURES,
    CREATE,
    COMPILE,
    LOG_SIZE,
    LOG,
    /// Code for one architecture.
    CODE_SIZE,
    CODE,
    /// Code that the driver compiles for the device.
    PORTABLE_SIZE,
    PORTABLE,
    DESTROY;

    static final FunctionRows<CompilerFunction> ROWS = FunctionRows.read(CompilerFunction.class, "compiler.tsv");
}
