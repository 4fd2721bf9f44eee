/*
 * A message with a tag, as an object and as typed data.
 *
 * The counterpart of point_point.py in "Programming Machine Learning Algorithms for HPC: MPI4py", which sends a
 * dictionary; the second message shows the faster alternative for numbers in an array.
 *
 *     ./tutti run -n 2 examples/PointToPoint.java
 *
 *     rank 0 sends data
 *     rank 1 receives a=7 and b=3.14
 *     rank 1 receives 3 numbers from rank 0 with tag 12: [0.5, 1.5, 2.5, 0.0, 0.0]
 */

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.*;

void main() {
    try (Mpi mpi = Mpi.init()) {
        Comm world = mpi.world();
        int me = world.rank();

        if (me == 0) {
            // An object: any numbers, strings, lists, maps, records. The message includes the size.
            world.sendObject(Map.of("a", 7, "b", 3.14), 1, 11);
            // Typed data: the array itself, without a copy. The tag distinguishes kinds of messages.
            world.send(buf(new double[] {0.5, 1.5, 2.5}), 1, 12);
            IO.println("rank 0 sends data");
        } else if (me == 1) {
            Map<?, ?> data = world.recvObject(Map.class, 0, 11);
            IO.println("rank 1 receives a=" + data.get("a") + " and b=" + data.get("b"));

            double[] numbers = new double[5]; // may be longer than the message
            Status status = world.recv(buf(numbers), 0, 12);
            IO.println("rank 1 receives " + status.count() + " numbers from rank " + status.source() + " with tag "
                    + status.tag() + ": " + Arrays.toString(numbers));
        }
    }
}
