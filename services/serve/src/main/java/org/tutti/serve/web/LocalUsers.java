package org.tutti.serve.web;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The users of the clients of local connections, from the kernel's socket tables.
///
///       sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  …
///        0: 0100007F:1F90 0100007F:C35A 01 00000000:00000000 00:00000000 00000000  1000  …
final class LocalUsers {
    private static final int LOCAL = 1, REMOTE = 2, USER = 7, COLUMNS = 8;
    private static final int IPV4_BYTES = 4, WORD = 4;

    /// The prefix of an IPv4 address in an IPv6 table.
    private static final String MAPPED = "0000000000000000FFFF0000";

    private final List<Path> tables;

    LocalUsers() {
        this(List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6")));
    }

    LocalUsers(List<Path> tables) {
        this.tables = tables;
    }

    /// Returns the user identifiers of connections as strings, because an identifier may exceed `int`. Omits
    /// connections that are missing from the tables.
    Map<HttpConnection, String> of(Collection<HttpConnection> connections) {
        Map<String, HttpConnection> wanted = new HashMap<>();
        for (HttpConnection each : connections) {
            // the row of the client's socket has the local and the remote address swapped
            wanted.put(end(each.remote(), each.remotePort()) + " " + end(each.local(), each.localPort()), each);
        }
        Map<HttpConnection, String> found = new HashMap<>();
        for (Path table : tables) {
            try {
                for (String line : Files.readAllLines(table)) {
                    String[] columns = line.strip().split("\\s+");
                    if (columns.length < COLUMNS) continue;
                    HttpConnection connection = wanted.get(plain(columns[LOCAL]) + " " + plain(columns[REMOTE]));
                    if (connection != null) found.put(connection, columns[USER]);
                }
            } catch (IOException e) {
                // not Linux: all local clients are one peer
            }
        }
        return found;
    }

    private static String plain(String end) {
        return end.startsWith(MAPPED) ? end.substring(MAPPED.length()) : end;
    }

    /// Returns an address in the format of the tables: 4-byte units, each in native byte order.
    static String end(InetAddress address, int port) {
        byte[] bytes = address.getAddress();
        StringBuilder text = new StringBuilder();
        for (int word = 0; word < bytes.length; word += WORD) {
            for (int i = IPV4_BYTES - 1; i >= 0; i--) text.append("%02X".formatted(bytes[word + i]));
        }
        return plain(text.toString().toUpperCase(Locale.ROOT)) + ":%04X".formatted(port);
    }
}
