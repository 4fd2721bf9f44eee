package org.tutti.device.gpu;

import org.tutti.device.table.FunctionRows;

/// The functions of a compiler at run time, NVRTC or HIPRTC, that Tutti calls.
enum CompilerFunction {
    VERSION,
    ARCHITECTURE_COUNT,
    ARCHITECTURES,
    CREATE,
    COMPILE,
    LOG_SIZE,
    LOG,
    /// Code for one kind of device.
    CODE_SIZE,
    CODE,
    /// Code that the driver compiles once more.
    PORTABLE_SIZE,
    PORTABLE,
    DESTROY;

    static final FunctionRows<CompilerFunction> ROWS = FunctionRows.read(CompilerFunction.class, "compiler.tsv");
}
