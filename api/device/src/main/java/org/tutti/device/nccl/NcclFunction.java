package org.tutti.device.nccl;

import java.util.Objects;
import org.tutti.device.table.FunctionRows;

/// The functions of NCCL that Tutti calls; RCCL has the same functions with the same names.
enum NcclFunction {
    VERSION,
    UNIQUE_ID,
    INIT,
    FINALIZE,
    DESTROY,
    ABORT,
    SPLIT,
    COUNT,
    RANK,
    ASYNC_ERROR,
    LAST_ERROR,
    GROUP_START,
    GROUP_END,
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    SEND,
    RECEIVE;

    static final FunctionRows<NcclFunction> ROWS = FunctionRows.read(NcclFunction.class, "functions.tsv");
    /// The column with the names.
    static final String NAME = "name";

    String symbol() {
        return Objects.requireNonNull(ROWS.name(this, NAME), name());
    }
}
