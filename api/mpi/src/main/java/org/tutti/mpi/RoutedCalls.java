package org.tutti.mpi;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.CommPort;
import org.tutti.spi.DeviceMessages;

/// A way between the devices of a communicator's ranks on which no data comes to the host, for blocking
/// collective calls with [DeviceMemory]: what a communicator may be given by [Comm#route].
///
/// A call goes this way when all ranks' data is on their devices, which they ask each other first, so a call in
/// which one rank has an array is right, too. They ask only where it pays: for [#isWorth] the same is known on all
/// ranks.
///
/// Arguments are right; buffers are on this rank's device, of the same type on all ranks.
public abstract class DeviceRoute {
    protected DeviceRoute() {}

    /// Whether it is quicker, even after the ranks have asked each other, for calls whose buffer, on each rank,
    /// or block, for each rank, has so many bytes.
    protected abstract boolean isWorth(long bytes);

    /// Whether it reaches this memory, and can combine its elements, if `op` is not null.
    protected abstract boolean reaches(DeviceMemory memory, @Nullable Op op);

    /// Whether all ranks say yes. Collective.
    protected abstract boolean all(boolean mine);

    /// `recv` has room for all of `send`; in place it is the same.
    protected abstract void allreduce(DeviceMemory send, DeviceMemory recv, Op op);

    /// As [#allreduce] at the root; `recv` is null on the others.
    protected abstract void reduce(DeviceMemory send, @Nullable DeviceMemory recv, Op op, int root);

    protected abstract void bcast(DeviceMemory buffer, int root);

    protected abstract void allgather(DeviceMemory send, DeviceMemory recv);

    protected abstract void reduceScatterBlock(DeviceMemory send, DeviceMemory recv, Op op);

    protected abstract void alltoall(DeviceMemory send, DeviceMemory recv);

    /// Its name, for [Comm#explain].
    @Override
    public abstract String toString();

    // ---- calls: whether each went this way; if not, on all ranks alike, it goes as any other

    final boolean bcast(CollectiveChecks check, Buf buf, int root) {
        check.root("bcast", root);
        if (!isWorth(buf.lengthBytes())) return false;
        DeviceMemory there = reached(buf, null);
        if (!all(there != null) || there == null) return false;
        bcast(there, root);
        return true;
    }

    final boolean allreduce(CollectiveChecks check, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.result("allreduce", operand, recv);
        check.op("allreduce", op, operand.type());
        if (!isWorth(operand.lengthBytes())) return false;
        DeviceMemory from = reached(operand, op), to = reached(recv, op);
        boolean both = from != null && to != null;
        if (!all(both) || from == null || to == null) return false;
        allreduce(from, to, op);
        return true;
    }

    final boolean reduce(CollectiveChecks check, Buf send, Buf recv, Op op, int root) {
        check.root("reduce", root);
        check.placeOfRoot("reduce", send, root);
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        boolean atRoot = check.port.rank() == root;
        if (atRoot) check.result("reduce", operand, recv);
        else check.data("reduce", "send", operand);
        check.op("reduce", op, operand.type());
        if (!isWorth(operand.lengthBytes())) return false;
        DeviceMemory from = reached(operand, op), to = atRoot ? reached(recv, op) : null;
        boolean mine = from != null && (to != null || !atRoot);
        if (!all(mine) || from == null) return false;
        reduce(from, to, op, root);
        return true;
    }

    final boolean allgather(CollectiveChecks check, Buf send, Buf recv) {
        check.target("allgather", "recv", recv);
        if (recv.blocks() != null || !isWorth(recv.lengthBytes() / check.port.size())) return false;
        DeviceMemory from = reached(send, null), to = reached(recv, null);
        boolean mine = from != null
                && to != null
                && from.byteSize() * check.port.size() == to.byteSize()
                && sameType(from, to);
        if (!all(mine) || from == null || to == null) return false;
        allgather(from, to);
        return true;
    }

    final boolean reduceScatterBlock(CollectiveChecks check, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.data("reduceScatterBlock", "send", operand);
        check.op("reduceScatterBlock", op, operand.type());
        if (operand.blocks() != null || !isWorth(operand.lengthBytes() / check.port.size())) return false;
        DeviceMemory from = reached(send, op), to = reached(recv, op);
        boolean mine = from != null
                && to != null
                && from.byteSize() == to.byteSize() * check.port.size()
                && sameType(from, to);
        if (!all(mine) || from == null || to == null) return false;
        reduceScatterBlock(from, to, op);
        return true;
    }

    final boolean alltoall(CollectiveChecks check, Buf send, Buf recv) {
        check.target("alltoall", "recv", recv);
        if (recv.blocks() != null || !isWorth(recv.lengthBytes() / check.port.size())) return false;
        DeviceMemory from = reached(send, null), to = reached(recv, null);
        boolean mine = from != null && to != null && from.byteSize() == to.byteSize() && sameType(from, to);
        if (!all(mine) || from == null || to == null) return false;
        alltoall(from, to);
        return true;
    }

    private static boolean sameType(DeviceMemory a, DeviceMemory b) {
        return a.type() == b.type();
    }

    /// The memory of a whole buffer on this rank's device; null when it is elsewhere.
    private @Nullable DeviceMemory reached(Buf buf, @Nullable Op op) {
        Pieces.OnDevice there = buf.onDevice();
        if (there == null || there.runs() != null || buf.blocks() != null) return null;
        return reaches(there.memory(), op) ? there.memory() : null;
    }

    /// What [Comm#explain] says.
    static final class Explanation {
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

        /// They send a copy, and receive as others do.
        private static final Set<String> REPLACING = Set.of("sendrecvReplace", "isendrecvReplace");

        /// Copied first, whatever they are.
        private static final Set<String> BUFFERED = Set.of("bsend", "ibsend", "bsendInit");

        /// Those that a [DeviceRoute] may take.
        private static final List<String> ROUTED =
                List.of("bcast", "reduce", "allreduce", "allgather", "reduceScatterBlock", "alltoall");

        /// Without what has a form with `i` before, or `Init` behind, in that form.
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

        private Explanation() {}

        static String of(@Nullable DeviceRoute route, EngineCalls engine, CommPort port, String operation, Buf buf) {
            String how = way(route, engine, port, operation, buf);
            Pieces.OnDevice there = buf.onDevice();
            return operation + " of " + buf
                    + (there == null ? "" : " on " + there.memory().device()) + ": " + how;
        }

        private static String way(
                @Nullable DeviceRoute route, EngineCalls engine, CommPort port, String operation, Buf buf) {
            boolean isReplacing = REPLACING.contains(operation);
            boolean isMessage = isReplacing || MESSAGES.contains(operation), isBuffered = BUFFERED.contains(operation);
            if (!isMessage && !isBuffered && !isCollective(operation)) {
                throw MpiException.argument(
                        ErrorClass.ERR_ARG,
                        "explain",
                        "'" + operation
                                + "' is no method of a communicator that moves a buffer, as send, iallreduce and"
                                + " bcastInit are",
                        port);
            }
            Pieces.OnDevice there = buf.onDevice();
            String library = engine.info().name();
            if (there == null) return "memory of the host, which " + library + " moves";
            if (isBuffered) return "copied to the buffer on the host, before the call returns";
            String copied = isReplacing ? "what is sent, copied first; what comes, " : "";
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
            if (devices == null) return "in pieces through " + library + "'s memory, while the message is under way";
            if (there.runs() != null) return "packed by the device, and by a copy on the host";
            String kind = Pieces.kind(there.memory());
            return devices.takes(new Pieces.Started(there.memory()))
                    ? "by its address, because the MPI library knows devices of kind " + kind
                    : "by a copy on the host, because the MPI library does not know devices of kind " + kind;
        }

        private static String collective(
                @Nullable DeviceRoute route, CommPort port, String operation, Buf buf, Pieces.OnDevice there) {
            String copies = "by copies on the host, of all of it";
            if (route == null)
                return copies + ": these devices were not connected, as Device.forRank does where it can";
            if (!ROUTED.contains(operation))
                return copies + ": " + route + " is for blocking calls of " + String.join(", ", ROUTED);
            boolean hasBlocks = operation.equals("allgather")
                    || operation.equals("alltoall")
                    || operation.equals("reduceScatterBlock");
            long bytes = buf.lengthBytes() / (hasBlocks ? port.size() : 1);
            if (!route.isWorth(Long.MAX_VALUE)) return copies + ": " + route;
            if (!route.isWorth(bytes)) return copies + ": it is too short for " + route;
            if (there.runs() != null) return copies + ", which the device packs";
            if (!route.reaches(there.memory(), null)) return copies + ": " + route + " does not reach this memory";
            return route + ", where all ranks' data is on their devices and it knows the type and the operation; else "
                    + copies;
        }
    }
}
