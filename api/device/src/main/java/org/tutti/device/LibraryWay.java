package org.tutti.device;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceCommunicator.Element;
import org.tutti.device.spi.DeviceCommunicator.Reduction;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.DeviceFault.Reason;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// A path that uses a library for collective operations between devices: NCCL or RCCL.
final class LibraryWay implements DeviceWay {
    private final String name;
    private final Comm comm;
    private final Device device;
    private final DeviceCommunicator library;

    private LibraryWay(String name, Comm comm, Device device, DeviceCommunicator library) {
        this.name = name;
        this.comm = comm;
        this.device = device;
        this.library = library;
    }

    /// Returns the name of the library; see [CollectiveLibrary#name].
    String name() {
        return name;
    }

    static List<CollectiveLibrary> libraries() {
        List<CollectiveLibrary> all = new ArrayList<>();
        ServiceLoader.load(CollectiveLibrary.class, CollectiveLibrary.class.getClassLoader())
                .forEach(all::add);
        return all;
    }

    /// Creates the path. If no library supports these devices, returns null on all ranks, and adds the reasons
    /// to `refusals`. Collective.
    static @Nullable DeviceWay connect(
            Comm comm, Device device, List<CollectiveLibrary> libraries, List<String> refusals) {
        List<String> kinds = comm.allgatherObject(device.attributes().kind());
        String kind = kinds.getFirst();
        for (int r = 1; r < kinds.size(); r++) {
            if (kinds.get(r).equals(kind)) continue;
            refusals.add("rank 0 has a device of kind " + kind + ", rank " + r + " one of " + kinds.get(r));
            return null;
        }
        for (CollectiveLibrary each : libraries) {
            if (!each.deviceKind().equals(kind)) continue;
            try {
                return new LibraryWay(each.name(), comm, device, device.connect(each, comm));
            } catch (DeviceFault f) {
                refusals.add(String.valueOf(f.getMessage()));
            }
        }
        return null;
    }

    @Override
    public boolean supports(Datatype type, @Nullable Op op) {
        return op == null || Element.of(type) != null && reduction(op) != null;
    }

    private static @Nullable Reduction reduction(Op op) {
        if (op.equals(Op.SUM)) return Reduction.SUM;
        if (op.equals(Op.PROD)) return Reduction.PROD;
        if (op.equals(Op.MIN)) return Reduction.MIN;
        if (op.equals(Op.MAX)) return Reduction.MAX;
        return null;
    }

    /// Converts an operation that [#supports] has accepted.
    private static Reduction known(Op op) {
        Reduction reduction = reduction(op);
        if (reduction == null) throw new IllegalArgumentException(op.toString());
        return reduction;
    }

    /// Returns the library's element type. A datatype for which the library has no element type cannot be
    /// combined, but can be transferred as bytes.
    private static Element element(Datatype type) {
        Element element = Element.of(type);
        return element == null ? Element.INT8 : element;
    }

    private static long elements(DeviceBuffer buffer) {
        return buffer.byteSize() / element(buffer.type()).bytes();
    }

    /// Queues work on the driver's stream, after earlier work with these buffers.
    private void give(DeviceStream stream, List<DeviceBuffer> buffers, LongConsumer work) {
        device.locked(d -> {
            long handle = stream.handle();
            for (DeviceBuffer each : buffers) {
                each.usable();
                device.ordered(each.memory(), stream, d);
            }
            work.accept(handle);
            return null;
        });
    }

    @Override
    public void allreduce(DeviceBuffer buffer, Op op, DeviceStream stream) {
        give(stream, List.of(buffer), s -> {
            long at = buffer.usable();
            library.allReduce(s, at, at, buffer.count(), element(buffer.type()), known(op));
        });
    }

    @Override
    public void reduce(DeviceBuffer buffer, Op op, int root, DeviceStream stream) {
        give(stream, List.of(buffer), s -> {
            long at = buffer.usable();
            library.reduce(s, at, at, buffer.count(), element(buffer.type()), known(op), root);
        });
    }

    @Override
    public void bcast(DeviceBuffer buffer, int root, DeviceStream stream) {
        give(
                stream,
                List.of(buffer),
                s -> library.broadcast(s, buffer.usable(), elements(buffer), element(buffer.type()), root));
    }

    @Override
    public void allgather(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        give(
                stream,
                List.of(send, recv),
                s -> library.allGather(s, send.usable(), recv.usable(), elements(send), element(send.type())));
    }

    @Override
    public void reduceScatterBlock(DeviceBuffer send, DeviceBuffer recv, Op op, DeviceStream stream) {
        give(
                stream,
                List.of(send, recv),
                s -> library.reduceScatter(
                        s, send.usable(), recv.usable(), recv.count(), element(recv.type()), known(op)));
    }

    @Override
    public void alltoall(DeviceBuffer send, DeviceBuffer recv, DeviceStream stream) {
        Element element = element(send.type());
        long blockBytes = send.byteSize() / library.size(), count = blockBytes / element.bytes();
        give(
                stream,
                List.of(send, recv),
                s -> library.group(s, () -> {
                    for (int r = 0; r < library.size(); r++) {
                        library.send(s, send.usable() + r * blockBytes, count, element, r);
                        library.receive(s, recv.usable() + r * blockBytes, count, element, r);
                    }
                }));
    }

    @Override
    public void exchange(List<Exchange.Message> messages, DeviceStream stream) {
        List<DeviceBuffer> buffers =
                messages.stream().map(Exchange.Message::buffer).toList();
        give(
                stream,
                buffers,
                s -> library.group(s, () -> {
                    for (Exchange.Message m : messages) {
                        Element element = element(m.buffer().type());
                        long at = m.buffer().usable(), count = elements(m.buffer());
                        if (m.isSend()) library.send(s, at, count, element, m.peer());
                        else library.receive(s, at, count, element, m.peer());
                    }
                }));
    }

    /// Closes the path. Before the library's communicator is closed, all ranks enter a barrier, in which a
    /// missing rank is reported. A rank with a failed device enters the barrier, too, unless the library has
    /// terminated the communicator on the other ranks.
    @Override
    public void close() {
        try {
            device.synchronize();
        } catch (DeviceException e) {
            try {
                DeviceFault failure = library.failure();
                if (failure == null || failure.reason() != Reason.PEER_FAILED) comm.barrier();
            } finally {
                abandon();
            }
            throw e;
        }
        comm.barrier();
        device.forget(library);
        device.closing(d -> library.close());
    }

    @Override
    public void abandon() {
        device.forget(library);
        library.abort();
    }

    @Override
    public String toString() {
        return library.library();
    }
}
