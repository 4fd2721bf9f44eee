package programs;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.PartitionedReceive;
import org.tutti.mpi.PartitionedSend;
import org.tutti.mpi.Request;
import org.tutti.mpi.Requests;

/// Ranks that wait for each other forever, and ranks that only seem to. The argument selects the form.
public final class Stalls {
    private Stalls() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            world.barrier();
            Ready.print(world.rank());
            switch (args[0]) {
                // deadlocks
                case "receives" -> receives(world);
                case "barrierAndReceive" -> barrierAndReceive(world);
                case "parts" -> parts(world);
                // no deadlock: the ranks continue when rank 0 has read a line from stdin
                case "sleeper" -> sleeper(world);
                case "anySource" -> anySource(world);
                case "oneOfTwo" -> oneOfTwo(mpi, world);
                case "pingPong" -> pingPong(world);
                case "otherThread" -> otherThread(world);
                case "pool" -> pool(world, Executors.newFixedThreadPool(2));
                case "virtual" -> pool(world, Executors.newVirtualThreadPerTaskExecutor());
                case "background" -> background(world);
                case "lateParts" -> lateParts(world);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    private static void receives(Comm world) {
        int next = (world.rank() + 1) % world.size();
        if (world.rank() == 0) world.recv(buf(new int[1]), next, 7);
        else world.recv(buf(new int[1]), next, 8);
    }

    private static void barrierAndReceive(Comm world) {
        if (world.rank() == 0) world.recv(buf(new int[1]), 1, 5);
        world.barrier();
    }

    /// Rank 0 waits for a partitioned send, of which two partitions are not marked as ready.
    private static void parts(Comm world) {
        if (world.rank() == 1) world.recv(buf(new int[1]), 0);
        try (PartitionedSend send = world.psendInit(buf(new int[8]), 4, 1, 3)) {
            send.start();
            send.preadyRange(0, 1);
            send.await();
        }
    }

    /// Rank 0 waits for a thread that has not called Tutti yet, and that marks the partitions as ready.
    private static void lateParts(Comm world) throws InterruptedException {
        int other = 1 - world.rank();
        try (PartitionedSend send = world.psendInit(buf(new int[8]), 4, other, 3);
                PartitionedReceive receive = world.precvInit(buf(new int[8]), 4, other, 3)) {
            send.start();
            receive.start();
            Thread late = new Thread(() -> {
                if (world.rank() == 0) IO.readln();
                send.preadyRange(0, 3);
            });
            late.start();
            send.await();
            receive.await();
            late.join();
        }
    }

    private static void sleeper(Comm world) {
        if (world.rank() == 0) IO.readln();
        world.allreduce(1, Op.SUM);
    }

    /// Ranks 1 and 2 wait for each other, but rank 1 also accepts a message of rank 0.
    private static void anySource(Comm world) {
        if (world.rank() == 0) IO.readln();
        if (world.rank() == 0) world.send(buf(new int[1]), 1);
        if (world.rank() == 1) world.recv(buf(new int[1]));
        if (world.rank() == 1) world.send(buf(new int[1]), 2);
        if (world.rank() == 2) world.recv(buf(new int[1]), 1);
    }

    /// Like [#anySource], with two receives on rank 1, which needs only one of these and cancels the other.
    private static void oneOfTwo(Mpi mpi, Comm world) {
        if (world.rank() == 0) IO.readln();
        if (world.rank() == 0) world.send(buf(new int[1]), 1);
        if (world.rank() == 1) {
            try (Requests pending = mpi.requests()) {
                pending.add(world.irecv(buf(new int[1]), 0));
                Request other = pending.add(world.irecv(buf(new int[1]), 2));
                pending.awaitAny();
                other.cancel();
                pending.awaitAll();
            }
            world.send(buf(new int[1]), 2);
        }
        if (world.rank() == 2) world.recv(buf(new int[1]), 1);
    }

    private static void pingPong(Comm world) throws IOException {
        int[] go = {1};
        while (go[0] == 1) {
            if (world.rank() == 0) go[0] = System.in.available() == 0 ? 1 : 0;
            if (world.rank() == 0) world.send(buf(go), 1);
            world.recv(buf(go), 1 - world.rank());
            if (world.rank() == 1) world.send(buf(go), 0);
        }
    }

    /// The ranks wait for each other until a thread of rank 0 sends a message. The thread has not called Tutti
    /// before.
    private static void otherThread(Comm world) throws InterruptedException {
        Thread sender = new Thread(() -> sendLater(world));
        sender.setDaemon(true);
        if (world.rank() == 0) sender.start();
        world.recv(buf(new int[1]), 1 - world.rank());
        if (world.rank() == 1) world.send(buf(new int[1]), 0);
        sender.join();
    }

    private static void sendLater(Comm world) {
        IO.readln();
        world.send(buf(new int[1]), 1);
    }

    /// Like [#otherThread], but a task sends. The task may run in a virtual thread, which is not visible in
    /// reports.
    private static void pool(Comm world, ExecutorService executor) throws InterruptedException {
        CountDownLatch sent = new CountDownLatch(1);
        if (world.rank() == 0) {
            executor.execute(() -> {
                sendLater(world);
                sent.countDown();
            });
        }
        world.recv(buf(new int[1]), 1 - world.rank());
        if (world.rank() == 0) sent.await();
        else world.send(buf(new int[1]), 0);
        executor.shutdown();
    }

    /// In a job of five ranks, rank 3 waits in a barrier for rank 1, which waits for a message of rank 3. But
    /// rank 1 has already started the barrier, which completes in the background when rank 0 starts it.
    private static void background(Comm world) {
        if (world.rank() == 0) IO.readln();
        Request barrier = world.ibarrier();
        if (world.rank() == 1) world.recv(buf(new int[1]), 3);
        barrier.await();
        if (world.rank() == 3) world.send(buf(new int[1]), 1);
    }
}
