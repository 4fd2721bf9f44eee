package org.tutti.mpi;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.devices.CollectiveRoute;
import org.tutti.spi.CommPort;
import org.tutti.spi.DeviceMessages;

/// Composes the description that [Comm#explain] returns.
final class RouteExplanation {
    private static final Set<String> MESSAGES = Set.of(
            "send",
            "ssend",
            "rsend",
            "isend",
            "issend",
            "irsend",
            "sendInit",
            "ssendInit",
            "rsendInit",
            "recv",
            "irecv",
            "recvInit",
            "sendrecv",
            "isendrecv");

    /// Operations that send a copy of the data, but receive like other operations.
    private static final Set<String> REPLACING = Set.of("sendrecvReplace", "isendrecvReplace");

    /// Operations that copy the data before they send it.
    private static final Set<String> BUFFERED = Set.of("bsend", "ibsend", "bsendInit");

    /// The operations that a [CollectiveRoute] can execute.
    private static final List<String> ROUTED =
            List.of("bcast", "reduce", "allreduce", "allgather", "reduceScatterBlock", "alltoall");

    /// The names of collective operations, without the prefix `i` or the suffix `Init`.
    private static final Set<String> COLLECTIVES = Set.of(
            "bcast",
            "reduce",
            "allreduce",
            "gather",
            "scatter",
            "allgather",
            "alltoall",
            "reduceScatterBlock",
            "reduceScatter",
            "scan",
            "exscan",
            "neighborAllgather",
            "neighborAlltoall");

    private RouteExplanation() {}

    static String of(
            @Nullable CollectiveRoute<DeviceMemory, Op> route,
            EngineCalls engine,
            CommPort port,
            String operation,
            Buf buf) {
        String how = way(route, engine, port, operation, buf);
        Pieces.OnDevice there = buf.onDevice();
        return operation + " of " + buf
                + (there == null ? "" : " on " + there.memory().device()) + ": " + how;
    }

    private static String way(
            @Nullable CollectiveRoute<DeviceMemory, Op> route,
            EngineCalls engine,
            CommPort port,
            String operation,
            Buf buf) {
        boolean isReplacing = REPLACING.contains(operation);
        boolean isMessage = isReplacing || MESSAGES.contains(operation), isBuffered = BUFFERED.contains(operation);
        if (!isMessage && !isBuffered && !isCollective(operation)) {
            throw MpiException.argument(
                    ErrorClass.ERR_ARG,
                    "explain",
                    "'" + operation
                            + "' is not a communicator method with a buffer, such as send, iallreduce or"
                            + " bcastInit",
                    port);
        }
        Pieces.OnDevice there = buf.onDevice();
        String library = engine.info().name();
        if (there == null) return "host memory, transferred by " + library;
        if (isBuffered) return "copied to the buffer on the host, before the call returns";
        String copied = isReplacing ? "data to send, copied first; received data, " : "";
        if (isMessage) return copied + message(engine, library, there);
        return collective(route, port, operation, buf, there);
    }

    private static boolean isCollective(String operation) {
        if (COLLECTIVES.contains(operation)) return true;
        return operation.endsWith("Init")
                ? COLLECTIVES.contains(operation.substring(0, operation.length() - "Init".length()))
                : operation.startsWith("i") && COLLECTIVES.contains(operation.substring(1));
    }

    private static String message(EngineCalls engine, String library, Pieces.OnDevice there) {
        DeviceMessages devices = engine.power(DeviceMessages.class);
        if (devices == null) return "in pieces through " + library + "'s memory, during the message";
        if (there.runs() != null) return "packed by the device, and by a copy on the host";
        String kind = Pieces.kind(there.memory());
        return devices.takes(new Pieces.Started(there.memory()))
                ? "by its address, because the MPI library supports devices of kind " + kind
                : "by a copy on the host, because the MPI library does not support devices of kind " + kind;
    }

    private static String collective(
            @Nullable CollectiveRoute<DeviceMemory, Op> route,
            CommPort port,
            String operation,
            Buf buf,
            Pieces.OnDevice there) {
        String copies = "by complete copies on the host";
        if (route == null)
            return copies + ": these devices are not connected; Device.forRank connects devices where possible";
        if (!ROUTED.contains(operation))
            return copies + ": " + route + " is for blocking calls of " + String.join(", ", ROUTED);
        boolean hasBlocks =
                operation.equals("allgather") || operation.equals("alltoall") || operation.equals("reduceScatterBlock");
        long bytes = buf.sizeBytes() / (hasBlocks ? port.size() : 1);
        if (!route.isWorth(Long.MAX_VALUE)) return copies + ": " + route;
        if (!route.isWorth(bytes)) return copies + ": it is too short for " + route;
        if (there.runs() != null) return copies + ", which the device packs";
        if (!route.reaches(there.memory(), null)) return copies + ": " + route + " does not reach this memory";
        return route + ", if the data of all ranks is on devices and it supports the type and the operation; otherwise "
                + copies;
    }
}
