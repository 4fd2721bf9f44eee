package org.tutti.serve.web;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The connections of a service, and the choice of the connection to close when the limit is exceeded.
///
/// A connection is anonymous until a request with a valid token has arrived on it. Each peer has at most
/// [Limits#perPeer] anonymous connections: the next one closes the oldest. When all connections of the service
/// are in use, a new connection closes the oldest anonymous connection of one peer: the peer with the most
/// anonymous connections or, if several peers have the most, the one of these that connected first. An
/// authenticated connection is closed only if no anonymous connection is left. Therefore connections without a
/// token never keep out a client that sends a request.
///
/// A peer is a user of this machine if the connection is local, otherwise an address: for IPv6, the first 64
/// bits.
final class ConnectionTable {
    /// @param most maximum number of connections
    /// @param perPeer maximum number of anonymous connections of a peer
    /// @param crowd number of anonymous connections from which on the users of local connections are
    ///     determined; with fewer connections, no peer can reach the limit
    record Limits(int most, int perPeer, int crowd) {}

    private static final long CHECK_MILLIS = 500;

    private static final long LOOKUP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int PREFIX_BYTES = 8, IPV4_BYTES = 4;
    private static final String LOCAL = "local";

    private final Limits limits;
    private final LocalUsers users;
    private final Thread watch =
            Thread.ofVirtual().name("tutti-service-connections").unstarted(this::watch);

    /// Guarded by `this`, like all fields below. The peer of each connection, in order of arrival.
    private final Map<HttpConnection, String> anonymous = new LinkedHashMap<>();

    /// The number of anonymous connections of each peer.
    private final Map<String, Integer> counts = new HashMap<>();

    private final Set<HttpConnection> known = new LinkedHashSet<>();
    private long lastLookup = System.nanoTime() - LOOKUP_NANOS;
    private boolean closed;

    ConnectionTable(Limits limits, LocalUsers users) {
        this.limits = limits;
        this.users = users;
    }

    void start() {
        watch.start();
    }

    /// Adds a connection, and closes an older one if necessary; returns false if the new one must be closed.
    synchronized boolean add(HttpConnection connection) {
        if (closed) return false;
        String peer = peer(connection);
        anonymous.put(connection, peer);
        counts.merge(peer, 1, Integer::sum);
        if (anonymous.size() >= limits.crowd) identify(counts.getOrDefault(peer, 0) > limits.perPeer);
        for (HttpConnection oldest = crowded(); oldest != null; oldest = crowded()) drop(oldest);
        if (anonymous.size() + known.size() > limits.most) makeRoom(connection);
        return anonymous.containsKey(connection);
    }

    /// Returns the oldest connection of a peer that has too many connections.
    private @Nullable HttpConnection crowded() {
        if (counts.values().stream().noneMatch(count -> count > limits.perPeer)) return null;
        for (var each : anonymous.entrySet()) {
            if (counts.getOrDefault(each.getValue(), 0) > limits.perPeer) return each.getKey();
        }
        return null;
    }

    private void makeRoom(HttpConnection newest) {
        HttpConnection victim = oldestOfTheLargestPeer(newest);
        if (victim != null && LOCAL.equals(anonymous.get(victim))) {
            identify(true); // before, all users of this machine count as one peer
            victim = oldestOfTheLargestPeer(newest);
        }
        if (victim == null) {
            // the remaining connections are authenticated, so an idle connection is closed rather than the new
            // one
            victim = known.stream().filter(HttpConnection::isIdle).findFirst().orElse(newest);
        }
        drop(victim);
    }

    private @Nullable HttpConnection oldestOfTheLargestPeer(HttpConnection newest) {
        HttpConnection oldest = null;
        int most = 0;
        for (var each : anonymous.entrySet()) {
            int count = counts.getOrDefault(each.getValue(), 0);
            if (count <= most || each.getKey() == newest) continue;
            oldest = each.getKey();
            most = count;
        }
        return oldest;
    }

    /// Closes the oldest anonymous connection of any peer, because the process has no file descriptors left.
    synchronized void relieve() {
        Iterator<HttpConnection> oldest = anonymous.keySet().iterator();
        if (oldest.hasNext()) drop(oldest.next());
    }

    private void drop(HttpConnection connection) {
        forget(connection);
        connection.cut();
    }

    private void forget(HttpConnection connection) {
        known.remove(connection);
        String peer = anonymous.remove(connection);
        if (peer != null) counts.computeIfPresent(peer, (_, count) -> count == 1 ? null : count - 1);
    }

    /// Marks a connection on which a request with a valid token has arrived.
    synchronized void authenticated(HttpConnection connection) {
        if (!anonymous.containsKey(connection)) return;
        forget(connection);
        known.add(connection);
    }

    synchronized void remove(HttpConnection connection) {
        forget(connection);
    }

    // ---- peers

    private static boolean isLocal(HttpConnection connection) {
        InetAddress remote = connection.remote();
        return remote.isLoopbackAddress() || remote.equals(connection.local());
    }

    /// Returns the peer of a connection; [#LOCAL] until the user of a local connection is determined.
    private static String peer(HttpConnection connection) {
        if (isLocal(connection)) return LOCAL;
        byte[] address = connection.remote().getAddress();
        int bytes = address.length == IPV4_BYTES ? IPV4_BYTES : PREFIX_BYTES;
        return HexFormat.of().formatHex(Arrays.copyOf(address, bytes));
    }

    /// Determines the users of local connections; not at every call, because reading the kernel's tables is
    /// expensive.
    private void identify(boolean now) {
        if (!counts.containsKey(LOCAL) || !now && System.nanoTime() - lastLookup < LOOKUP_NANOS) return;
        List<HttpConnection> open = new ArrayList<>();
        anonymous.forEach((connection, peer) -> {
            if (peer.equals(LOCAL)) open.add(connection);
        });
        users.of(open).forEach((connection, user) -> {
            String peer = "user " + user;
            anonymous.replace(connection, peer); // the order of arrival does not change
            counts.computeIfPresent(LOCAL, (_, count) -> count == 1 ? null : count - 1);
            counts.merge(peer, 1, Integer::sum);
        });
        lastLookup = System.nanoTime();
    }

    // ---- deadlines

    private void watch() {
        try {
            while (true) {
                Thread.sleep(CHECK_MILLIS);
                try {
                    for (HttpConnection each : all()) if (each.isOverdue()) each.cut();
                } catch (RuntimeException | Error e) {
                    System.err.println("tutti: service: connections cannot be checked now: " + e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the service has ended
        }
    }

    private synchronized List<HttpConnection> all() {
        List<HttpConnection> all = new ArrayList<>(anonymous.keySet());
        all.addAll(known);
        return all;
    }

    /// Closes all connections.
    void close() {
        synchronized (this) {
            closed = true;
        }
        watch.interrupt();
        all().forEach(HttpConnection::cut);
    }
}
