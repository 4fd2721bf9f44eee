package org.tutti.conformance.contract.intercomm;

import static org.tutti.mpi.Buf.buf;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Port;

/// Ports connect ranks without a common communicator. In these tests a common communicator exists, which
/// distributes the names of the ports.
public final class PortContract {
    private PortContract() {}

    /// Returns a service name that no other job uses, because several jobs may run at the same time.
    private static String service(Trial t, String suffix) {
        Long pid = t.world()
                .bcastObject(Long.class, t.rank() == 0 ? ProcessHandle.current().pid() : null, 0);
        return suffix + " of job " + pid + " on " + t.mpi().engineName();
    }

    private static String bcastName(Trial t, @Nullable Port port) {
        String name = t.world().bcastObject(String.class, port == null ? null : port.name(), 0);
        return Objects.requireNonNull(name);
    }

    private static String end(Trial t) {
        return " (rank " + t.rank() + " of " + t.size() + ", WORLD)";
    }

    @Contract
    public static void twoHalvesConnect(Trial t) {
        if (t.size() < 2) return;
        int servers = t.size() / 2, clients = t.size() - servers;
        boolean serves = t.rank() < servers;
        try (OwnedComm half = t.world().split(serves ? 0 : 1);
                Port port = t.rank() == 0 ? Port.open(t.mpi()) : null) {
            String name = bcastName(t, port);
            for (int i = 0; i < 3; i++) {
                int root = serves ? 0 : i % clients;
                Intercomm both =
                        serves ? half.accept(port, root) : half.connect(half.rank() == root ? name : null, root);
                Check.same(serves ? clients : servers, both.remoteSize(), "the other side");
                int[] sum = {0};
                both.allreduce(buf(new int[] {t.rank()}), buf(sum), Op.SUM);
                int all = t.size() * (t.size() - 1) / 2, low = servers * (servers - 1) / 2;
                Check.same(serves ? all - low : low, sum[0], "sum of the other side");
                both.disconnect();
                MpiException e = Check.fails(ErrorClass.ERR_COMM, () -> both.send(buf(new int[1]), 0));
                String why = String.valueOf(e.getMessage());
                Check.that(why.startsWith("send: ") && !why.contains("Mpi.close"), "after disconnect: " + why);
            }
            t.world().barrier(); // close the port only after every rank has connected
        }
    }

    /// The clients connect one after the other, each with a separate intercommunicator.
    @Contract
    public static void oneServerAcceptsManyClients(Trial t) {
        String service = service(t, "clients");
        try (Port port = t.rank() == 0 ? Port.open(t.mpi()) : null) {
            if (port != null) port.publish(service);
            t.world().barrier();
            if (port == null) {
                Intercomm server = t.mpi().self().connect(Port.lookup(t.mpi(), service), 0);
                server.send(buf(new int[] {t.rank()}), 0, 3);
                server.disconnect();
            } else {
                int sum = 0;
                for (int i = 1; i < t.size(); i++) {
                    Intercomm client = t.mpi().self().accept(port, 0);
                    int[] sender = {0};
                    client.recv(buf(sender), 0, 3);
                    sum += sender[0];
                    client.disconnect();
                }
                Check.same(t.size() * (t.size() - 1) / 2, sum, "sum of all clients");
            }
            t.world().barrier();
        }
        t.world().barrier(); // the first rank has closed the port
        Check.rejects(
                ErrorClass.ERR_NAME,
                "lookup: service=" + service + " is not published, or its publisher has left" + end(t),
                () -> Port.lookup(t.mpi(), service));
        t.world().barrier();
    }

    @Contract
    public static void servicesHaveOnePort(Trial t) {
        String service = service(t, "rank " + t.rank());
        Port first = Port.open(t.mpi()), second = Port.open(t.mpi());
        first.publish(service);
        Check.same(first.name(), Port.lookup(t.mpi(), service), "name found");
        Check.rejects(
                ErrorClass.ERR_SERVICE,
                "publish: service=" + service + " is already published; unpublish it there, or choose a different name"
                        + end(t),
                () -> second.publish(service));
        Check.rejects(
                ErrorClass.ERR_SERVICE,
                "unpublish: service=" + service + " is not published by this port" + end(t),
                () -> second.unpublish(service));
        first.unpublish(service);
        second.publish(service);
        Check.same(second.name(), Port.lookup(t.mpi(), service), "name found after the second publish");
        String at = Check.nextLine();
        second.close();
        Check.fails(ErrorClass.ERR_NAME, () -> Port.lookup(t.mpi(), service));
        Check.rejects(
                ErrorClass.ERR_PORT,
                "publish: the port " + second.name() + " was closed at " + at + end(t),
                () -> second.publish(service));
        Check.fails(ErrorClass.ERR_PORT, () -> t.mpi().self().accept(second, 0));
        second.close();
        first.close();
    }

    /// Closing a port fails a pending connect, and every later connect.
    @Contract
    public static void closingAPortCancelsWaits(Trial t) throws InterruptedException {
        Port port = t.rank() == 0 ? Port.open(t.mpi()) : null;
        String name = bcastName(t, port);
        if (port == null) {
            MpiException e =
                    Check.fails(ErrorClass.ERR_PORT, () -> t.mpi().self().connect(name, 0));
            // the memory of the port no longer exists for a rank that connects later
            String why = String.valueOf(e.getMessage());
            Check.that(
                    why.startsWith("connect: no process has the port " + name + " open")
                            || why.startsWith("connect: no memory of a port at "),
                    "why: " + e);
        } else {
            Thread.sleep(20);
            port.close();
        }
        t.world().barrier();
    }

    @Contract
    public static void invalidPorts(Trial t) {
        Comm world = t.world();
        for (@Nullable
        String name : new @Nullable String[] {
            null, "", "localhost:80", "tutti-port:0.999999999", "tutti-port:99999999.1", "tutti-port:0.1@/proc/1/fd/999"
        }) {
            MpiException e = Check.fails(ErrorClass.ERR_PORT, () -> world.connect(name, t.size() - 1));
            Check.that(e.scope() == MpiException.Scope.ARGUMENT, "the failure is not limited to the argument");
        }
        Check.fails(ErrorClass.ERR_PORT, () -> world.accept(null, 0));
        Check.fails(ErrorClass.ERR_ROOT, () -> world.accept(null, t.size()));
        world.barrier();
    }
}
