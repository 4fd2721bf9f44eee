package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Programs that wait for a long time and then end. The reports of these waits must not be interpreted as a
/// deadlock.
public final class LegalWaits {
    private static final long LONG_MILLIS = 8_000;

    /// Enough operations to overwrite the first operations in the flight recorder.
    private static final int FORGOTTEN = 2_500;

    private LegalWaits() {}

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init();
                OwnedComm other = mpi.world().dup()) {
            switch (args[0]) {
                case "operation" -> operation(mpi.world());
                case "comparedFirst" -> comparedFirst(mpi.world(), other);
                case "fromOutside" -> fromOutside(mpi);
                case "forgotten" -> forgotten(mpi, other);
                case "inPieces" -> inPieces(mpi.world());
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    /// All ranks execute a user-defined operation, which takes a long time.
    private static void operation(Comm world) {
        Op slow = Op.of("slow", Datatype.INT, (in, inout, count) -> pause(LONG_MILLIS));
        world.allreduce(buf(new int[1]), buf(new int[1]), slow);
    }

    /// The ranks wait for each other repeatedly, in one call that takes a long time.
    private static void inPieces(Comm world) {
        Random random = new Random(world.rank());
        Op slow = Op.of("slow", Datatype.BYTE, (in, inout, count) -> pause(random.nextInt(40)));
        world.allreduce(buf(new byte[20 << 20]), slow);
    }

    /// Every second rank makes the call after a delay. The other ranks wait in the comparison that precedes the
    /// call.
    private static void comparedFirst(Comm world, Comm other) {
        for (int i = 0; i < 10; i++) world.barrier();
        if (world.rank() % 2 == 1) pause(LONG_MILLIS);
        other.barrier();
    }

    /// Rank 1 waits for a call that the recorder has overwritten, and has already executed a later call.
    private static void forgotten(Mpi mpi, Comm other) {
        int me = other.rank();
        if (me == 2) pause(LONG_MILLIS / 2);
        Request one = other.ibarrier();
        if (me == 2) work(LONG_MILLIS);
        Request two = other.ibarrier();
        if (me == 1) {
            for (int i = 0; i < FORGOTTEN; i++) mpi.self().sendrecv(buf(new int[1]), 0, 1, buf(new int[1]), 0, 1);
            one.await();
            mpi.world().recv(buf(new int[1]), 0, 3);
            two.await();
        } else {
            one.await();
            two.await();
            if (me == 0) mpi.world().send(buf(new int[1]), 1, 3);
        }
    }

    /// All ranks wait, some for a timer of the JVM.
    private static void fromOutside(Mpi mpi) {
        Comm world = mpi.world();
        CompletableFuture<Status> timer = CompletableFuture.supplyAsync(
                Status::empty, CompletableFuture.delayedExecutor(LONG_MILLIS, TimeUnit.MILLISECONDS));
        Request late = mpi.request(timer), never = world.irecv(buf(new int[1]), world.rank(), 9);
        if (world.rank() == 1) late.await();
        if (world.rank() == 2) mpi.requests(never, late).awaitAny();
        world.barrier();
        never.cancel();
        never.await();
        late.await();
    }

    private static void work(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - end < 0) Thread.onSpinWait();
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
