package org.tutti.device.opencl;

import java.lang.foreign.SymbolLookup;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.tutti.device.table.FunctionRows;
import org.tutti.device.table.FunctionTable;

/// The functions of `CL/cl.h` that Tutti calls, by name.
enum OpenClFunction {
    GET_PLATFORM_IDS,
    GET_PLATFORM_INFO,
    GET_DEVICE_IDS,
    GET_DEVICE_INFO,
    CREATE_CONTEXT,
    RELEASE_CONTEXT,
    CREATE_COMMAND_QUEUE_WITH_PROPERTIES,
    RELEASE_COMMAND_QUEUE,
    FLUSH,
    FINISH,
    SVM_ALLOC,
    SVM_FREE,
    ENQUEUE_SVM_MEMCPY,
    ENQUEUE_SVM_MEM_FILL,
    ENQUEUE_MARKER_WITH_WAIT_LIST,
    ENQUEUE_BARRIER_WITH_WAIT_LIST,
    WAIT_FOR_EVENTS,
    GET_EVENT_INFO,
    RELEASE_EVENT,
    CREATE_PROGRAM_WITH_SOURCE,
    CREATE_PROGRAM_WITH_BINARY,
    BUILD_PROGRAM,
    GET_PROGRAM_INFO,
    GET_PROGRAM_BUILD_INFO,
    RELEASE_PROGRAM,
    CREATE_KERNEL,
    RELEASE_KERNEL,
    SET_KERNEL_ARG,
    SET_KERNEL_ARG_SVM_POINTER,
    ENQUEUE_ND_RANGE_KERNEL;

    static final FunctionRows<OpenClFunction> ROWS = FunctionRows.read(OpenClFunction.class, "functions.tsv");

    /// The column with the names.
    static final String NAME = "name";

    /// Binds all functions.
    ///
    /// @throws NoSuchElementException if a function is missing in the library
    static FunctionTable<OpenClFunction> bind(String library, SymbolLookup symbols) {
        for (OpenClFunction each : values()) symbols.findOrThrow(Objects.requireNonNull(ROWS.name(each, NAME)));
        return new FunctionTable<>(library, ROWS, NAME, symbols);
    }
}
