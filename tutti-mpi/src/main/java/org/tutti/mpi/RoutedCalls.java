package org.tutti.mpi;

import org.jspecify.annotations.Nullable;

/// The blocking collective calls of a communicator that has a [DeviceRoute]. Each method says whether the call
/// went there; if not, on all ranks alike, it goes as any other.
final class RoutedCalls {
    private final DeviceRoute route;
    private final CollectiveChecks check;
    private final int rank, size;

    RoutedCalls(DeviceRoute route, CollectiveChecks check, int rank, int size) {
        this.route = route;
        this.check = check;
        this.rank = rank;
        this.size = size;
    }

    DeviceRoute route() {
        return route;
    }

    boolean bcast(Buf buf, int root) {
        check.root("bcast", root);
        if (!route.isWorth(buf.lengthBytes())) return false;
        DeviceMemory there = reached(buf, null);
        if (!route.all(there != null) || there == null) return false;
        route.bcast(there, root);
        return true;
    }

    boolean allreduce(Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.result("allreduce", operand, recv);
        check.op("allreduce", op, operand.type());
        if (!route.isWorth(operand.lengthBytes())) return false;
        DeviceMemory from = reached(operand, op), to = reached(recv, op);
        boolean both = from != null && to != null;
        if (!route.all(both) || from == null || to == null) return false;
        route.allreduce(from, to, op);
        return true;
    }

    boolean reduce(Buf send, Buf recv, Op op, int root) {
        check.root("reduce", root);
        check.placeOfRoot("reduce", send, root);
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        boolean atRoot = rank == root;
        if (atRoot) check.result("reduce", operand, recv);
        else check.data("reduce", "send", operand);
        check.op("reduce", op, operand.type());
        if (!route.isWorth(operand.lengthBytes())) return false;
        DeviceMemory from = reached(operand, op), to = atRoot ? reached(recv, op) : null;
        boolean mine = from != null && (to != null || !atRoot);
        if (!route.all(mine) || from == null) return false;
        route.reduce(from, to, op, root);
        return true;
    }

    boolean allgather(Buf send, Buf recv) {
        check.target("allgather", "recv", recv);
        if (recv.blocks() != null || !route.isWorth(recv.lengthBytes() / size)) return false;
        DeviceMemory from = reached(send, null), to = reached(recv, null);
        boolean mine = from != null && to != null && from.byteSize() * size == to.byteSize() && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.allgather(from, to);
        return true;
    }

    boolean reduceScatterBlock(Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.data("reduceScatterBlock", "send", operand);
        check.op("reduceScatterBlock", op, operand.type());
        if (operand.blocks() != null || !route.isWorth(operand.lengthBytes() / size)) return false;
        DeviceMemory from = reached(send, op), to = reached(recv, op);
        boolean mine = from != null && to != null && from.byteSize() == to.byteSize() * size && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.reduceScatterBlock(from, to, op);
        return true;
    }

    boolean alltoall(Buf send, Buf recv) {
        check.target("alltoall", "recv", recv);
        if (recv.blocks() != null || !route.isWorth(recv.lengthBytes() / size)) return false;
        DeviceMemory from = reached(send, null), to = reached(recv, null);
        boolean mine = from != null && to != null && from.byteSize() == to.byteSize() && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.alltoall(from, to);
        return true;
    }

    private static boolean sameType(DeviceMemory a, DeviceMemory b) {
        return a.type() == b.type();
    }

    /// The memory of a whole buffer on this rank's device; null when it is elsewhere.
    private @Nullable DeviceMemory reached(Buf buf, @Nullable Op op) {
        DeviceMemory there = buf.blocks() == null ? buf.deviceMemory() : null;
        return there != null && route.reaches(there, op) ? there : null;
    }
}
