package org.tutti.device.nccl;

import org.tutti.device.gpu.NativeFunction;

/// What is used of NCCL; RCCL has the same functions under the same names.
enum NcclFunction implements NativeFunction {
    VERSION("ncclGetVersion", "p"),
    UNIQUE_ID("ncclGetUniqueId", "p"),
    /// Since 2.14, as are communicators whose calls do not block.
    INIT("ncclCommInitRankConfig", "piuip"),
    FINALIZE("ncclCommFinalize", "p"),
    DESTROY("ncclCommDestroy", "p"),
    ABORT("ncclCommAbort", "p"),
    SPLIT("ncclCommSplit", "piipp", true),
    COUNT("ncclCommCount", "pp"),
    RANK("ncclCommUserRank", "pp"),
    ASYNC_ERROR("ncclCommGetAsyncError", "pp"),
    LAST_ERROR("ncclGetLastError", "p", true) {
        @Override
        public boolean returnsText() {
            return true;
        }
    },
    GROUP_START("ncclGroupStart", ""),
    GROUP_END("ncclGroupEnd", ""),
    ALL_REDUCE("ncclAllReduce", "pppiipp"),
    REDUCE("ncclReduce", "pppiiipp"),
    BROADCAST("ncclBroadcast", "pppiipp"),
    ALL_GATHER("ncclAllGather", "pppipp"),
    REDUCE_SCATTER("ncclReduceScatter", "pppiipp"),
    SEND("ncclSend", "ppiipp"),
    RECEIVE("ncclRecv", "ppiipp");

    final String symbol;
    private final String arguments;
    private final boolean optional;

    NcclFunction(String symbol, String arguments) {
        this(symbol, arguments, false);
    }

    NcclFunction(String symbol, String arguments, boolean optional) {
        this.symbol = symbol;
        this.arguments = arguments;
        this.optional = optional;
    }

    @Override
    public String arguments() {
        return arguments;
    }

    @Override
    public boolean optional() {
        return optional;
    }
}
