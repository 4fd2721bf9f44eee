/*
 * Java and Python in one world: typed messages to and from Python, a broadcast, a reduction, a gather.
 *
 * The Python part, examples/with_python.py, uses mpi4py with capitalized calls, which take buffers. Objects can be
 * exchanged only between ranks of the same language.
 *
 *     ./tutti run --mpi openmpi -n 2 examples/WithPython.java : -n 1 examples/with_python.py
 *
 *     Java rank 0 of 3 has the limits [0.0, 10.0]
 *     Java rank 1 of 3 has the limits [0.0, 10.0]
 *     Python rank 2 of 3 has the limits [0.0, 10.0]
 *     Python rank 2 squares [0.0, 1.0, 2.0] of rank 0
 *     Python rank 2 squares [1.0, 2.0, 3.0] of rank 1
 *     Java rank 0 got back [0.0, 1.0, 4.0]
 *     Java rank 1 got back [1.0, 4.0, 9.0]
 *     Java rank 0 counts 6 in all
 *     Java rank 1 counts 6 in all
 *     Python rank 2 counts 6 in all
 *     Java rank 0 gathers [0, 10, 20]
 *     Java rank 1 was sent {from=0, to=1} among Java's ranks
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank(), n = world.size(), python = n - 1;
        if (n < 3) throw new IllegalArgumentException("this is for at least 2 ranks of Java, and one of Python");

        double[] limits = me == 0 ? new double[] {0, 10} : new double[2];
        world.bcast(buf(limits), 0); // comm.Bcast
        IO.println("Java rank " + me + " of " + n + " has the limits " + Arrays.toString(limits));

        double[] x = {me, me + 1, me + 2};
        world.send(buf(x), python, 7);
        world.recv(buf(x), python, 8);
        IO.println("Java rank " + me + " got back " + Arrays.toString(x));

        int all = world.allreduce(me + 1, Op.SUM); // comm.Allreduce
        IO.println("Java rank " + me + " counts " + all + " in all");

        int[] tens = me == 0 ? new int[n] : null;
        world.gather(buf(new int[] {10 * me}), me == 0 ? buf(tens) : Buf.NONE, 0); // comm.Gather
        if (me == 0) IO.println("Java rank 0 gathers " + Arrays.toString(tens));

        try (OwnedComm java = world.split(1)) { // comm.Split: the Python part passes a different color
            if (java.rank() == 0) java.sendObject(new TreeMap<>(Map.of("from", 0, "to", 1)), 1, 0);
            if (java.rank() == 1) {
                Map<?, ?> map = java.recvObject(Map.class, 0, 0);
                IO.println("Java rank " + me + " was sent " + new TreeMap<>(map) + " among Java's ranks");
            }
        }
    }
}
