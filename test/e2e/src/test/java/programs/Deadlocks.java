package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Cartesian;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;
import org.tutti.mpi.Window;

/// Ranks that wait for each other forever, in the form that the argument selects. The labels in the comments
/// mark the lines for the test.
public final class Deadlocks {
    private static final int LARGE = 1 << 20;

    private final Mpi mpi;
    private final Comm world;
    private final int me;
    private final int next;

    private Deadlocks(Mpi mpi) {
        this.mpi = mpi;
        world = mpi.world();
        me = world.rank();
        next = (me + 1) % world.size();
    }

    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            mpi.world().barrier();
            new Deadlocks(mpi).run(args[0]);
        }
    }

    private void run(String name) {
        switch (name) {
            case "receives" -> world.recv(buf(new int[1]), next, me == 0 ? 7 : 8); // receives
            case "sends" -> world.send(buf(new byte[LARGE]), next); // sends
            case "longSends" -> world.send(buf(new byte[4 * LARGE]), next); // longSends
            case "longReceives" -> world.recv(buf(new byte[16 * LARGE]), next); // longReceives
            case "ssends" -> world.ssend(buf(new int[1]), next); // ssends
            case "objects" -> world.recvObject(String.class, next, 2); // objects
            case "myself" -> myself();
            case "anySource" -> world.recv(buf(new int[1])); // anySource
            case "probe" -> world.probe(next, 3); // probe
            case "mprobe" -> world.mprobe(next, 3); // mprobe
            case "barrierAndReceive" -> barrierAndReceive();
            case "split" -> split();
            case "allocate" -> allocate();
            case "openFile" -> openFile();
            case "crossedCommunicators" -> crossedCommunicators();
            case "ibarrier" -> ibarrier();
            case "wrongTag" -> wrongTag();
            case "waitBeforeSend" -> waitBeforeSend();
            case "oneOfTwo" -> oneOfTwo();
            case "bothOfTwo" -> bothOfTwo();
            case "neverStarted" -> neverStarted();
            case "parts" -> parts();
            case "anyOfParts" -> anyOfParts();
            case "neighbors" -> neighbors();
            case "twoGroups" -> twoGroups();
            case "pair" -> pair();
            case "locks" -> locks();
            case "lockAndReceive" -> lockAndReceive();
            case "noPost" -> noPost();
            case "fences" -> fences();
            default -> throw new IllegalArgumentException(name);
        }
    }

    private void myself() {
        if (me == 0) world.recv(buf(new int[1]), 0); // myself
        world.barrier();
    }

    private void barrierAndReceive() {
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // barrierAndReceive: rank 0
        world.barrier(); // barrierAndReceive: rank 1
    }

    /// Rank 0 does not take part in the creation of the communicator.
    private void split() {
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // split: rank 0
        else world.split(0).close(); // split: rank 1
    }

    private void allocate() {
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // allocate: rank 0
        else Window.allocate(world, 8).close(); // allocate: rank 1
    }

    private void openFile() {
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // openFile: rank 0
        else MpiFile.open(world, "/tmp/never", MpiFile.Mode.RDWR); // openFile: rank 1
    }

    /// On each communicator, all ranks make the same calls, but the two ranks use the communicators in
    /// different orders.
    private void crossedCommunicators() {
        Comm one = world.dup(), other = world.dup();
        if (me == 0) {
            one.allreduce(1, Op.SUM); // crossedCommunicators: rank 0
            other.allreduce(1, Op.SUM);
        } else {
            other.allreduce(1, Op.SUM); // crossedCommunicators: rank 1
            one.allreduce(1, Op.SUM);
        }
    }

    /// Rank 0 never starts the barrier that rank 1 awaits.
    private void ibarrier() {
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // ibarrier: rank 0
        else world.ibarrier().await(); // ibarrier: rank 1
    }

    private void wrongTag() {
        if (me == 0) world.send(buf(new int[1]), 1, 1);
        else world.recv(buf(new int[1]), 0, 2); // wrongTag: rank 1
        world.barrier(); // wrongTag: rank 0
    }

    /// The receive is nonblocking, but each rank awaits it before the other rank sends.
    private void waitBeforeSend() {
        Request receive = world.irecv(buf(new int[1]), next, 4);
        receive.await(); // waitBeforeSend
        world.send(buf(new int[1]), next, 4);
    }

    /// Rank 0 needs only one of two messages.
    private void oneOfTwo() {
        if (me == 1) world.recv(buf(new int[1]), 0); // oneOfTwo: rank 1
        try (Requests pending = mpi.requests()) {
            pending.add(world.irecv(buf(new int[1]), next, 1));
            pending.add(world.irecv(buf(new int[1]), next, 2));
            pending.awaitAny(); // oneOfTwo: rank 0
        }
    }

    /// Rank 0 needs a message of rank 1 and a message of rank 2, which is busy. Without rank 2, ranks 0 and 1
    /// are already in a deadlock.
    private void bothOfTwo() {
        if (me == 1) world.recv(buf(new int[1]), 0); // bothOfTwo: rank 1
        while (me == 2) Thread.onSpinWait();
        try (Requests pending = mpi.requests()) {
            pending.add(world.irecv(buf(new int[1]), 1, 1));
            pending.add(world.irecv(buf(new int[1]), 2, 2));
            pending.awaitAll(); // bothOfTwo: rank 0
        }
    }

    /// Rank 0 has created the receive that would match, but does not start it.
    private void neverStarted() {
        try (PersistentRequest receive = world.recvInit(buf(new int[1]), next, 6)) {
            if (me == 0) {
                world.recv(buf(new int[1]), 1, 7); // neverStarted: rank 0
                receive.start();
                receive.await();
            } else {
                world.ssend(buf(new int[1]), 0, 6); // neverStarted: rank 1
                world.send(buf(new int[1]), 0, 7);
            }
        }
    }

    /// Rank 0 waits for a partitioned send, of which two partitions are not marked as ready.
    private void parts() {
        if (me == 1) world.recv(buf(new int[1]), 0);
        try (PartitionedSend send = world.psendInit(buf(new int[8]), 4, 1, 3)) {
            send.start();
            send.preadyRange(0, 1);
            send.await(); // parts
        }
    }

    /// Each rank waits for one of two events: a message of the other rank, or a partitioned send, which is not
    /// ready.
    private void anyOfParts() {
        try (PartitionedSend send = world.psendInit(buf(new int[8]), 4, next, 3);
                Requests pending = mpi.requests()) {
            pending.add(world.irecv(buf(new int[1]), next, 1));
            pending.add(send).start();
            pending.awaitAny(); // anyOfParts
        }
    }

    private void neighbors() {
        try (Cartesian ring = world.cartesian(new int[] {2}, new boolean[] {true})) {
            if (me == 0) world.recv(buf(new int[1]), 1, 5); // neighbors: rank 0
            else ring.neighborAllgather(buf(new int[1]), buf(new int[2])); // neighbors: rank 1
        }
    }

    /// Each group waits for a message of the other group.
    private void twoGroups() {
        try (OwnedComm half = world.split(me);
                Intercomm both = half.intercomm(0, world, next, 1)) {
            both.recv(buf(new int[1]), 0, 9); // twoGroups
        }
    }

    /// Ranks 1 and 2 wait for each other, rank 3 waits for rank 2, and rank 0 is busy.
    private void pair() {
        int[] source = {0, 2, 1, 2};
        if (me > 0) world.recv(buf(new int[1]), source[me]); // pair
        while (me == 0) Thread.onSpinWait();
    }

    /// Each rank holds the lock for this rank's memory in a window, and waits for the lock for the other rank's
    /// memory.
    private void locks() {
        Window w = Window.allocate(world, 8);
        w.lock(me); // held: locks
        world.barrier();
        w.lock(next); // locks
    }

    private void lockAndReceive() {
        Window w = Window.allocate(world, 8);
        if (me == 0) w.lock(1); // held: lockAndReceive
        world.barrier();
        if (me == 0) world.recv(buf(new int[1]), 1, 5); // lockAndReceive: rank 0
        else w.lock(1, Window.LockType.SHARED); // lockAndReceive: rank 1
    }

    private void noPost() {
        Window w = Window.allocate(world, 8);
        if (me == 0) w.start(w.group().incl(1)); // noPost: rank 0
        else world.barrier(); // noPost: rank 1
    }

    private void fences() {
        Window one = Window.allocate(world, 8), other = Window.allocate(world, 8);
        if (me == 0) one.fence(); // fences: rank 0
        else other.fence(); // fences: rank 1
    }
}
