package org.tutti.train.device;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.tutti.device.Device;
import org.tutti.device.DeviceComm;
import org.tutti.device.library.Attempt;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceCommunicator;
import org.tutti.device.spi.DeviceCommunicator.Element;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Op;

/// Replaces NCCL for devices of kind `host`: MPI sends the data, so that the tests run Tutti's code for NCCL,
/// including the kernels, without a GPU.
final class ConnectedHosts implements CollectiveLibrary {
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    /// Returns how often all ranks together have called a function.
    int calls(String function) {
        return calls.getOrDefault(function, 0);
    }

    DeviceComm connected(Comm comm, Device device) throws ReflectiveOperationException {
        Method of = DeviceComm.class.getDeclaredMethod("of", Comm.class, Device.class, List.class);
        of.setAccessible(true);
        return (DeviceComm) of.invoke(null, comm, device, List.of(this));
    }

    @Override
    public String name() {
        return "nccl";
    }

    @Override
    public String deviceKind() {
        return "host";
    }

    @Override
    public @Nullable String version() {
        return null;
    }

    @Override
    public List<Attempt> attempts() {
        return List.of();
    }

    @Override
    public DeviceCommunicator connect(Comm comm, DeviceDriver device) {
        return (DeviceCommunicator) Proxy.newProxyInstance(
                ConnectedHosts.class.getClassLoader(),
                new Class<?>[] {DeviceCommunicator.class},
                (proxy, method, a) -> call(comm, proxy, method.getName(), a));
    }

    private @Nullable Object call(Comm comm, Object proxy, String function, Object[] a) {
        switch (function) {
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "equals" -> {
                return proxy == a[0];
            }
            case "library" -> {
                return "NCCL of a test";
            }
            case "failure" -> {
                return null;
            }
            case "allReduce" -> {
                Datatype type = a[4] == Element.FLOAT32 ? Datatype.FLOAT : Datatype.DOUBLE;
                comm.allreduce(buf(memory(a[2], (long) a[3] * type.sizeBytes()), type), Op.SUM);
            }
            case "broadcast" -> comm.bcast(buf(memory(a[1], (long) a[2] * ((Element) a[3]).bytes())), (int) a[4]);
            case "close", "abort" -> {
                // counted
            }
            default -> throw new AssertionError(function);
        }
        calls.merge(function, 1, Integer::sum);
        return null;
    }

    private static MemorySegment memory(Object address, long bytes) {
        return MemorySegment.ofAddress((long) address).reinterpret(bytes);
    }
}
