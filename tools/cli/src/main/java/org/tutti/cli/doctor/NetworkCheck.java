package org.tutti.cli.doctor;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.Host;

/// Checks the network interfaces, and whether this machine's name resolves to an interface.
final class NetworkCheck implements DoctorCheck {
    private static final long SLOW_NANOS = 500_000_000L;
    private static final long LONGEST_SECONDS = 5;
    private static final List<String> OF_CONTAINERS = List.of("docker", "br-", "virbr", "cni", "veth", "podman");

    /// The result of a name lookup.
    private record Resolved(@Nullable InetAddress address, long nanos) {}

    @Override
    public String title() {
        return "network";
    }

    @Override
    public void run(ExaminedMachine examined, CheckResults notes) {
        List<NetworkInterface> interfaces;
        try {
            interfaces = NetworkInterface.networkInterfaces().toList();
        } catch (SocketException e) {
            interfaces = List.of(); // no interface
        }
        interfaces(interfaces, notes);
        name(interfaces, notes);
    }

    private static void interfaces(List<NetworkInterface> interfaces, CheckResults notes) {
        List<String> up = new ArrayList<>(), containers = new ArrayList<>();
        boolean loopback = false;
        for (NetworkInterface one : interfaces) {
            try {
                if (!one.isUp()) continue;
                loopback |= one.isLoopback();
            } catch (SocketException e) {
                continue; // the interface has been removed
            }
            up.add(one.getName()
                    + one.inetAddresses()
                            .map(address -> " " + address.getHostAddress().replaceAll("%.*", ""))
                            .collect(Collectors.joining()));
            for (String prefix : OF_CONTAINERS) if (one.getName().startsWith(prefix)) containers.add(one.getName());
        }
        if (!loopback) {
            notes.fails(
                    "the loopback interface is down: Open MPI's mpirun cannot reach its own ranks, and rendezvous servers"
                            + " on localhost fail; the shm engine does not need it",
                    "ip link set lo up, as root; or run over shm (no --engine)");
        }
        notes.ok(up.isEmpty() ? "no interface is up" : "up: " + String.join(", ", up));
        if (!containers.isEmpty()) {
            notes.ok(String.join(", ", containers) + (containers.size() == 1 ? " is used" : " are used")
                    + " by containers of this machine: with several hosts, name the shared network"
                    + " (btl_tcp_if_include, UCX_NET_DEVICES, mpiexec -iface)");
        }
    }

    private static void name(List<NetworkInterface> interfaces, CheckResults notes) {
        String name = Host.name();
        Resolved resolved = resolve(name);
        String hosts = "add a line to /etc/hosts, as root: 127.0.1.1 " + name;
        if (resolved == null) {
            notes.warn(
                    "the name of this machine, " + name + ", is not resolved within " + LONGEST_SECONDS
                            + " s: launchers and rendezvous servers wait for it at each start",
                    hosts);
            return;
        }
        String took = String.format(Locale.ROOT, "%.3f s", resolved.nanos / 1e9);
        InetAddress address = resolved.address;
        if (address == null) {
            notes.warn(
                    "the name of this machine, " + name + ", has no address (" + took
                            + "): launchers, MPICH's and Gloo's among them, look for it",
                    hosts);
        } else if (!isLocal(address, interfaces)) {
            notes.warn(
                    "the name of this machine, " + name + ", resolves to " + address.getHostAddress()
                            + ", which is not one of its addresses",
                    "correct it in /etc/hosts or in the name server");
        } else if (resolved.nanos > SLOW_NANOS) {
            notes.warn(
                    "the name of this machine, " + name + ", takes " + took + " to resolve, at each start of a job",
                    hosts);
        } else {
            notes.ok(name + " is " + address.getHostAddress() + " (" + took + ")");
        }
    }

    private static boolean isLocal(InetAddress address, List<NetworkInterface> interfaces) {
        if (address.isLoopbackAddress()) return true;
        return interfaces.stream().anyMatch(one -> one.inetAddresses().anyMatch(address::equals));
    }

    /// Returns null after a timeout; the thread of the lookup continues to run.
    private static @Nullable Resolved resolve(String name) {
        BlockingQueue<Resolved> answer = new ArrayBlockingQueue<>(1);
        Thread.ofPlatform().daemon().name("resolver").start(() -> {
            long start = System.nanoTime();
            InetAddress address;
            try {
                address = InetAddress.getByName(name);
            } catch (UnknownHostException e) {
                address = null;
            }
            answer.add(new Resolved(address, System.nanoTime() - start));
        });
        try {
            return answer.poll(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
