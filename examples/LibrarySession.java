/*
 * A library that sums values over all ranks, through a separate MPI session. The calling program does not pass a
 * communicator or use MPI, and messages of the program and of the library cannot match each other.
 *
 *     ./tutti run -n 4 examples/LibrarySession.java
 *
 *     process sets: [mpi://WORLD, mpi://SELF, tutti://MACHINE]
 *     the values of 4 ranks make 10.0
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

/** The library. */
static class Totals implements AutoCloseable {
    private final Session session = Session.open();
    private final Group everybody = session.group(Session.WORLD);
    private final OwnedComm comm = session.createFromGroup(everybody, "example.totals");

    double add(double value) {
        double[] sum = {value};
        comm.allreduce(buf(sum), Op.SUM);
        return sum[0];
    }

    @Override
    public void close() {
        comm.close();
        session.close();
    }
}

static void main(String[] args) {
    try (Session session = Session.open();
            Totals totals = new Totals()) {
        Group everybody = session.group(Session.WORLD);
        double total = totals.add(everybody.rank() + 1);
        if (everybody.rank() == 0) {
            IO.println("process sets: " + session.processSets());
            IO.println("the values of " + everybody.size() + " ranks make " + total);
        }
    }
}
