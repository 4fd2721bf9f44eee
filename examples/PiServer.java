/*
 * A server that computes pi for clients. It opens a port, publishes the port under a name, and serves one client
 * after the other. A client resolves the name, connects, sends a request, and disconnects.
 *
 * Here the server and the clients are ranks of the same world. The server and the clients can also be spawned worlds
 * or separate jobs: a client can look up ports published by any job of this user on this machine.
 *
 *     ./tutti run -n 3 --engine shm examples/PiServer.java
 *
 *     client 1 asked for 10 intervals: 3.142426
 *     client 2 asked for 100 intervals: 3.141601
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        if (mpi.world().rank() == 0) serve(mpi);
        else ask(mpi);
    }
}

void serve(Mpi mpi) {
    try (Port port = Port.open(mpi)) {
        port.publish("pi");
        mpi.world().barrier(); // the port can be found from now on
        for (int i = 1; i < mpi.world().size(); i++) {
            Intercomm client = mpi.self().accept(port, 0);
            int[] n = {0};
            client.recv(buf(n), 0);
            client.send(buf(new double[] {pi(n[0])}), 0);
            client.disconnect();
        }
    }
}

void ask(Mpi mpi) {
    mpi.world().barrier();
    Intercomm server = mpi.self().connect(Port.lookup(mpi, "pi"), 0);
    int[] n = {(int) Math.pow(10, mpi.world().rank())};
    double[] pi = {0};
    server.send(buf(n), 0);
    server.recv(buf(pi), 0);
    server.disconnect();
    IO.println("client %d asked for %d intervals: %.6f".formatted(mpi.world().rank(), n[0], pi[0]));
}

static double pi(int n) {
    double h = 1.0 / n, sum = 0;
    for (int i = 0; i < n; i++) {
        double x = h * (i + 0.5);
        sum += 4.0 / (1.0 + x * x);
    }
    return sum * h;
}
