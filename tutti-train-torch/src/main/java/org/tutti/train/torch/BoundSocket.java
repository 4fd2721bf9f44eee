package org.tutti.train.torch;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteOrder;

/// Binds a socket to one address, on Linux, for libtorch, whose store else listens at all addresses of the machine.
/// Java's own sockets do not tell their descriptors.
final class BoundSocket {
    // of Linux, on every processor that libtorch has jars for
    private static final int AF_INET = 2, AF_INET6 = 10, SOCK_STREAM = 1, SOCK_CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1, SO_REUSEADDR = 2;
    private static final int EADDRINUSE = 98;

    /// `struct sockaddr_in` and `struct sockaddr_in6`.
    private static final int ADDRESS_BYTES = 16, ADDRESS6_BYTES = 28;
    private static final int PORT_AT = 2, ADDRESS_AT = 4, ADDRESS6_AT = 8;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();

    private BoundSocket() {}

    static boolean isPossible() {
        return System.getProperty("os.name").equals("Linux");
    }

    /// The descriptor of a socket that is bound, and does not listen yet; who takes it closes it.
    ///
    /// @throws BindException when the port is taken
    /// @throws IOException when the socket cannot be bound for another reason
    static int at(InetAddress address, int port) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            boolean is6 = address instanceof Inet6Address;
            int fd = (int) call("socket", JAVA_INT, JAVA_INT, JAVA_INT)
                    .invokeExact(arena.allocate(STATE), is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (fd < 0) throw new IOException("no socket can be made");
            MemorySegment state = arena.allocate(STATE);
            // as libtorch does: connections of a job that is over do not count
            int unused = (int) call("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT)
                    .invokeExact(state, fd, SOL_SOCKET, SO_REUSEADDR, arena.allocateFrom(JAVA_INT, 1), Integer.BYTES);
            MemorySegment name = arena.allocate(is6 ? ADDRESS6_BYTES : ADDRESS_BYTES, Integer.BYTES);
            name.set(JAVA_SHORT_UNALIGNED, 0, (short) (is6 ? AF_INET6 : AF_INET));
            name.set(JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), PORT_AT, (short) port);
            byte[] bytes = address.getAddress();
            MemorySegment.copy(bytes, 0, name, JAVA_BYTE, is6 ? ADDRESS6_AT : ADDRESS_AT, bytes.length);
            int rc = (int) call("bind", JAVA_INT, ADDRESS, JAVA_INT)
                    .invokeExact(state, fd, name, Math.toIntExact(name.byteSize()));
            if (rc == 0) return fd;
            int why = state.get(JAVA_INT, STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno")));
            unused = (int) call("close", JAVA_INT).invokeExact(state, fd);
            if (why == EADDRINUSE) throw new BindException("the port is in use");
            throw new IOException("it cannot be bound to " + address + ", errno " + why);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t); // the calls themselves throw nothing
        }
    }

    private static MethodHandle call(String function, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(function),
                FunctionDescriptor.of(JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"));
    }
}
