package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Message;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Request;

/// For two ranks. Rank 0 sends an `int` and then a `double`, several times, each time with a different tag.
/// Rank 1 receives the `double` first, although it has already matched the `int` with a probe or posted a
/// receive for it.
public final class Overtakes {
    private Overtakes() {}

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            if (world.rank() == 0) send(world);
            else receive(world);
        }
    }

    private static void send(Comm world) {
        for (int tag = 1; tag <= 6; tag++) {
            if (tag == 5) world.sendObject(List.of(tag), 1, tag);
            else world.send(buf(new int[] {tag}), 1, tag);
            world.send(buf(new double[] {tag}), 1, tag);
        }
        world.send(buf(new int[] {7}), 1, 7);
    }

    private static void receive(Comm world) {
        int[] first = new int[1];

        Message probed = world.mprobe(0, 1);
        later(world, 1);
        probed.recv(buf(first));
        same(1, first[0]);

        Message tried = null;
        while (tried == null) tried = world.improbe(0, 2);
        later(world, 2);
        tried.irecv(buf(first)).await();
        same(2, first[0]);

        Request pending = world.irecv(buf(first), 0, 3);
        later(world, 3);
        pending.await();
        same(3, first[0]);

        pending = world.irecv(buf(first), 0, 4);
        double[] second = new double[1];
        world.mprobe(0, 4).recv(buf(second));
        same(4.0, second[0]);
        pending.await();
        same(4, first[0]);

        Message object = world.mprobe(0, 5);
        later(world, 5);
        same(List.of(5), object.recvObject(List.class));

        Message held = world.mprobe(0, 6);
        pending = world.irecv(buf(second), 0, 6);
        held.recv(buf(first));
        pending.await();
        same(6, first[0]);
        same(6.0, second[0]);

        try {
            world.mprobe(0, 7).recv(buf(second));
            throw new AssertionError("an int was received as a double");
        } catch (MpiException e) {
            same(ErrorClass.ERR_TYPE, e.errorClass());
            IO.println("a wrong type: " + e.getMessage());
        }
    }

    private static void later(Comm world, int tag) {
        double[] second = new double[1];
        world.recv(buf(second), 0, tag);
        same((double) tag, second[0]);
    }

    private static void same(Object expected, Object actual) {
        if (!expected.equals(actual)) throw new AssertionError("expected " + expected + " but was " + actual);
    }
}
