package org.tutti.mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.devices.CollectiveRoute;

/// Blocking collective calls that a [CollectiveRoute] executes. Each method returns whether the route has
/// executed the call; if not, the engine executes the call on all ranks.
final class RoutedCalls {
    private RoutedCalls() {}

    static boolean bcast(CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf buf, int root) {
        check.root("bcast", root);
        if (!route.isWorth(buf.sizeBytes())) return false;
        DeviceMemory there = reached(route, buf, null);
        if (!route.all(there != null) || there == null) return false;
        route.bcast(there, root);
        return true;
    }

    static boolean allreduce(
            CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.result("allreduce", operand, recv);
        check.op("allreduce", op, operand.datatype());
        if (!route.isWorth(operand.sizeBytes())) return false;
        DeviceMemory from = reached(route, operand, op), to = reached(route, recv, op);
        boolean both = from != null && to != null;
        if (!route.all(both) || from == null || to == null) return false;
        route.allreduce(from, to, op);
        return true;
    }

    static boolean reduce(
            CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf send, Buf recv, Op op, int root) {
        check.root("reduce", root);
        check.placeOfRoot("reduce", send, root);
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        boolean atRoot = check.port.rank() == root;
        if (atRoot) check.result("reduce", operand, recv);
        else check.data("reduce", "send", operand);
        check.op("reduce", op, operand.datatype());
        if (!route.isWorth(operand.sizeBytes())) return false;
        DeviceMemory from = reached(route, operand, op), to = atRoot ? reached(route, recv, op) : null;
        boolean mine = from != null && (to != null || !atRoot);
        if (!route.all(mine) || from == null) return false;
        route.reduce(from, to, op, root);
        return true;
    }

    static boolean allgather(CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf send, Buf recv) {
        check.target("allgather", "recv", recv);
        if (recv.blocks() != null || !route.isWorth(recv.sizeBytes() / check.port.size())) return false;
        DeviceMemory from = reached(route, send, null), to = reached(route, recv, null);
        boolean mine = from != null
                && to != null
                && from.byteSize() * check.port.size() == to.byteSize()
                && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.allgather(from, to);
        return true;
    }

    static boolean reduceScatterBlock(
            CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf send, Buf recv, Op op) {
        Buf operand = send == Buf.IN_PLACE ? recv : send;
        check.data("reduceScatterBlock", "send", operand);
        check.op("reduceScatterBlock", op, operand.datatype());
        if (operand.blocks() != null || !route.isWorth(operand.sizeBytes() / check.port.size())) return false;
        DeviceMemory from = reached(route, send, op), to = reached(route, recv, op);
        boolean mine = from != null
                && to != null
                && from.byteSize() == to.byteSize() * check.port.size()
                && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.reduceScatterBlock(from, to, op);
        return true;
    }

    static boolean alltoall(CollectiveRoute<DeviceMemory, Op> route, CollectiveChecks check, Buf send, Buf recv) {
        check.target("alltoall", "recv", recv);
        if (recv.blocks() != null || !route.isWorth(recv.sizeBytes() / check.port.size())) return false;
        DeviceMemory from = reached(route, send, null), to = reached(route, recv, null);
        boolean mine = from != null && to != null && from.byteSize() == to.byteSize() && sameType(from, to);
        if (!route.all(mine) || from == null || to == null) return false;
        route.alltoall(from, to);
        return true;
    }

    private static boolean sameType(DeviceMemory a, DeviceMemory b) {
        return a.type() == b.type();
    }

    /// Returns the device memory of a buffer, if the buffer is the whole memory and the route reaches this
    /// memory; otherwise null.
    private static @Nullable DeviceMemory reached(CollectiveRoute<DeviceMemory, Op> route, Buf buf, @Nullable Op op) {
        Pieces.OnDevice there = buf.onDevice();
        if (there == null || there.runs() != null || buf.blocks() != null) return null;
        return route.reaches(there.memory(), op) ? there.memory() : null;
    }
}
