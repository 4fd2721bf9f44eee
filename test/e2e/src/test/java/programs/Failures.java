package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;

/// Rank 2 fails in the way that the first argument selects, while the other ranks wait for it.
public final class Failures {
    private Failures() {}

    private static final int BAD = 2;

    private static final List<byte[]> HOARD = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "inCollective" -> inCollective();
            case "inRecv" -> inRecv();
            case "inRemoteGroup" -> inRemoteGroup();
            case "inUserCode" -> inUserCode();
            case "ownThread" -> ownThread();
            case "exit" -> exit(Integer.parseInt(args[1]));
            case "halt" -> halt(Integer.parseInt(args[1]));
            case "outOfMemory" -> outOfMemory();
            case "stackOverflow" -> stackOverflow();
            case "beforeInit" -> beforeInit(args[1]);
            case "noInit" -> noInit(args[1]);
            case "inTry" -> inTry();
            case "withoutClose" -> withoutClose();
            case "pendingRequest" -> pendingRequest();
            case "abort" -> abort(Integer.parseInt(args[1]));
            case "initializer" -> initializer();
            case "hookThatHangs" -> hookThatHangs();
            case "ownHandler" -> ownHandler();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void inCollective() {
        Comm world = Mpi.init().world();
        if (world.rank() == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        world.allreduce(1, Op.SUM);
    }

    private static void inRecv() {
        Comm world = Mpi.init().world();
        if (world.rank() == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        world.recv(buf(new int[1]), (world.rank() + 1) % world.size() == BAD ? BAD : Comm.ANY_SOURCE);
    }

    /// The other ranks wait for rank 2 in a collective call between two groups, or for a message from it.
    private static void inRemoteGroup() {
        Mpi mpi = Mpi.init();
        int me = mpi.world().rank();
        OwnedComm half = mpi.world().split(me / BAD);
        Intercomm both = half.intercomm(0, mpi.world(), me < BAD ? BAD : 0, 1);
        if (me == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        if (me == 0) both.recv(buf(new int[1]), 0);
        both.allreduce(1, Op.SUM);
    }

    private static void inUserCode() throws InterruptedException {
        Comm world = Mpi.init().world();
        Thread.ofPlatform().start(Failures::sleep); // not a daemon: the JVM would wait for this thread
        world.barrier();
        if (world.rank() == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        sleep();
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            sleep(); // as a program that ignores interrupts
        }
    }

    private static void ownThread() {
        Comm world = Mpi.init().world();
        if (world.rank() == BAD) {
            Thread.ofPlatform().name("mine").start(() -> {
                throw new IllegalStateException("a thread of rank 2 throws on purpose");
            });
        }
        world.recv(buf(new int[1]), world.rank());
    }

    private static void exit(int code) {
        Comm world = Mpi.init().world();
        world.barrier();
        if (world.rank() == BAD) System.exit(code);
        world.barrier();
    }

    private static void halt(int code) {
        Comm world = Mpi.init().world();
        world.barrier();
        if (world.rank() == BAD) Runtime.getRuntime().halt(code);
        world.barrier();
    }

    private static void outOfMemory() {
        Comm world = Mpi.init().world();
        world.barrier();
        if (world.rank() == BAD) while (true) HOARD.add(new byte[1 << 20]);
        world.barrier();
    }

    private static void stackOverflow() {
        Comm world = Mpi.init().world();
        world.barrier();
        if (world.rank() == BAD) deeper(0);
        world.barrier();
    }

    private static int deeper(int depth) {
        return depth < 0 ? depth : deeper(depth + 1) + 1;
    }

    private static void beforeInit(String rankVariable) {
        if (Integer.parseInt(System.getenv(rankVariable)) == BAD) throw new IllegalStateException("before init");
        Mpi.init().world().barrier();
    }

    private static void noInit(String rankVariable) {
        if (Integer.parseInt(System.getenv(rankVariable)) == BAD) return;
        Mpi.init().world().barrier();
    }

    private static void inTry() {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            if (world.rank() == BAD) throw new IllegalStateException("inside try");
            world.recv(buf(new int[1]), BAD);
        }
    }

    private static void withoutClose() {
        Comm world = Mpi.init().world();
        world.barrier();
        if (world.rank() != BAD) world.barrier();
    }

    private static void pendingRequest() {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            if (world.rank() == BAD) world.irecv(buf(new int[1]), 0, 9);
            else world.recv(buf(new int[1]), BAD);
        }
    }

    private static void abort(int code) {
        Mpi mpi = Mpi.init();
        mpi.world().barrier();
        if (mpi.world().rank() == BAD) mpi.abort(code);
        mpi.world().barrier();
    }

    private static void initializer() {
        Comm world = Mpi.init().world();
        if (world.rank() == BAD) System.out.println(Broken.VALUE);
        world.barrier();
    }

    private static final class Broken {
        static final int VALUE = Integer.parseInt("no number");
    }

    private static void hookThatHangs() {
        Comm world = Mpi.init().world();
        Runtime.getRuntime().addShutdownHook(new Thread(Failures::sleep));
        if (world.rank() == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        world.barrier();
    }

    private static void ownHandler() {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> System.err.println("handler of the program: " + failure));
        Comm world = Mpi.init().world();
        if (world.rank() == BAD) throw new IllegalStateException("rank 2 throws on purpose");
        world.barrier();
    }
}
