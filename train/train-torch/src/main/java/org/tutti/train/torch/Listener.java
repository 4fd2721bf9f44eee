package org.tutti.train.torch;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Listens at a single address of this machine for libtorch's store, which otherwise listens at all addresses.
///
/// libtorch needs a file descriptor. Java does not expose the descriptors of sockets; on Linux, this class
/// finds descriptors in `/proc`.
final class Listener {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String LISTENS = "0A";
    private static final int ADDRESS = 1, STATE = 3, INODE = 9;

    /// The channels with descriptors that libtorch will close. References are kept, so that Java does not close
    /// the descriptors as well.
    private static final Set<ServerSocketChannel> GIVEN = ConcurrentHashMap.newKeySet();

    private Listener() {}

    /// Returns the descriptor of a new socket, which the caller must close. Empty if this is not possible, or
    /// the address is not an address of this machine.
    ///
    /// @throws java.net.BindException if the port is in use
    static OptionalInt at(InetAddress address, int port) throws IOException {
        boolean isOurs = address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        if (!isOurs || !Files.isDirectory(DESCRIPTORS)) return OptionalInt.empty();
        boolean is4 = address instanceof Inet4Address;
        ServerSocketChannel channel =
                ServerSocketChannel.open(is4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        OptionalInt descriptor = OptionalInt.empty();
        try {
            channel.bind(new InetSocketAddress(address, port));
            descriptor = descriptor(Path.of("/proc/self/net", is4 ? "tcp" : "tcp6"), shown(address, port));
        } finally {
            if (descriptor.isPresent()) GIVEN.add(channel);
            else channel.close();
        }
        return descriptor;
    }

    private static OptionalInt descriptor(Path table, String where) throws IOException {
        for (String line : Files.readAllLines(table)) {
            String[] fields = line.strip().split("\\s+");
            if (fields.length <= INODE || !fields[ADDRESS].equals(where) || !fields[STATE].equals(LISTENS)) continue;
            String socket = "socket:[" + fields[INODE] + "]";
            try (Stream<Path> all = Files.list(DESCRIPTORS)) {
                for (Path one : all.toList()) {
                    if (isLink(one, socket))
                        return OptionalInt.of(Integer.parseInt(one.getFileName().toString()));
                }
            }
        }
        return OptionalInt.empty();
    }

    private static boolean isLink(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException e) {
            return false; // closed meanwhile by a different thread
        }
    }

    /// Returns the address in the format of `/proc/self/net/tcp`: every group of four bytes as a native
    /// integer, in hexadecimal.
    private static String shown(InetAddress address, int port) {
        byte[] bytes = address.getAddress();
        byte[] turned = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) turned[i] = bytes[i / 4 * 4 + 3 - i % 4];
        return HexFormat.of().withUpperCase().formatHex(turned) + ":"
                + HexFormat.of().withUpperCase().toHexDigits((short) port);
    }
}
