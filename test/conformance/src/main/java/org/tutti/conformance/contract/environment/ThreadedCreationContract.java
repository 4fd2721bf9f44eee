package org.tutti.conformance.contract.environment;

import static org.tutti.mpi.Buf.buf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.MpiFile;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Port;
import org.tutti.mpi.Window;

/// Several threads of each rank create and free every kind of object at the same time. Each thread has a
/// private duplicate of WORLD, so different threads may use equal tags and names: MPI 4.1, sections 7.4.2 and
/// 11.6.
public final class ThreadedCreationContract {
    private static final int THREADS = 3, ROUNDS = 8;

    private ThreadedCreationContract() {}

    /// The work of thread `thread` in round `round`, on the thread's communicator `comm`.
    private interface Part {
        void run(Comm comm, int thread, int round) throws Exception;
    }

    private static void inThreads(Trial t, Part part) throws InterruptedException {
        List<OwnedComm> comms = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) comms.add(t.world().dup());
        ThreadsContract.inThreads(THREADS, Thread.ofPlatform().factory(), i -> {
            for (int round = 0; round < ROUNDS; round++) part.run(comms.get(i), i, round);
        });
        comms.forEach(OwnedComm::close);
    }

    /// Returns a value that only this thread uses, and only in this round.
    private static int mark(int thread, int round) {
        return 1_000 * (thread + 1) + round;
    }

    /// Checks that a sum over `comm` contains only values of this thread and round.
    private static void works(Comm comm, int thread, int round) {
        int mark = mark(thread, round);
        Check.same(
                (long) comm.size() * mark, comm.allreduce(mark, Op.SUM), "sum over a communicator of thread " + thread);
    }

    private static void works(Intercomm both, int thread, int round) {
        int[] in = new int[both.remoteSize()];
        both.allgather(buf(new int[] {mark(thread, round)}), buf(in));
        for (int value : in) Check.same(mark(thread, round), value, "value from the remote group, thread " + thread);
    }

    @Contract(minRanks = 2)
    public static void intercommunicatorsWithTheSameTag(Trial t) throws InterruptedException {
        inThreads(t, (comm, thread, round) -> {
            int side = comm.rank() % 2;
            try (OwnedComm half = comm.split(side);
                    Intercomm both = half.intercomm(0, comm, 1 - side, 7)) {
                works(both, thread, round);
                try (OwnedComm all = both.merge(side == 0)) {
                    works(all, thread, round);
                }
            }
        });
    }

    @Contract
    public static void groupsWithTheSameTag(Trial t) throws InterruptedException {
        inThreads(t, (comm, thread, round) -> {
            try (OwnedComm same = comm.createGroup(comm.group(), 7)) {
                works(same, thread, round);
            }
        });
    }

    /// The names are different, but have equal hash codes.
    @Contract
    public static void groupsWithoutParentUnderDifferentNames(Trial t) throws InterruptedException {
        List<String> names = List.of("AaAa", "BBBB", "AaBB");
        inThreads(t, (comm, thread, round) -> {
            try (OwnedComm made = t.mpi().createFromGroup(t.world().group(), names.get(thread))) {
                works(made, thread, round);
            }
        });
    }

    @Contract(minRanks = 2)
    public static void intercommunicatorsWithoutParentUnderDifferentNames(Trial t) throws InterruptedException {
        List<String> names = List.of("AaAa", "BBBB", "AaBB");
        Group first = t.world().group().incl(0);
        Group second = t.world().group().excl(0);
        inThreads(t, (comm, thread, round) -> {
            Group mine = t.rank() == 0 ? first : second, theirs = t.rank() == 0 ? second : first;
            try (Intercomm both = t.mpi().intercommFromGroups(mine, theirs, names.get(thread))) {
                works(both, thread, round);
            }
        });
    }

    @Contract(slow = true)
    public static void copiesAndTopologies(Trial t) throws InterruptedException {
        inThreads(t, (comm, thread, round) -> {
            try (OwnedComm copy = comm.dup();
                    OwnedComm later = comm.idup().awaitComm();
                    OwnedComm part = comm.split(comm.rank() % 2);
                    OwnedComm ring = comm.cartesian(new int[] {comm.size()}, new boolean[] {true})) {
                works(copy, thread, round);
                works(later, thread, round);
                works(part, thread, round);
                works(ring, thread, round);
            }
        });
    }

    @Contract(slow = true)
    public static void windows(Trial t) throws InterruptedException {
        inThreads(t, (comm, thread, round) -> {
            int right = (comm.rank() + 1) % comm.size();
            try (Window window = Window.allocate(comm, Integer.BYTES, Integer.BYTES)) {
                window.fence();
                window.put(buf(new int[] {mark(thread, round)}), right, 0);
                window.fence();
                int[] in = new int[1];
                window.get(buf(in), comm.rank(), 0);
                window.fence();
                Check.same(mark(thread, round), in[0], "value in a window of thread " + thread);
            }
        });
    }

    @Contract(slow = true)
    public static void files(Trial t) throws InterruptedException, IOException {
        Path folder = t.rank() == 0 ? Files.createTempDirectory("tutti-files") : null;
        String path = Objects.requireNonNull(
                t.world().bcastObject(String.class, folder == null ? null : folder.toString(), 0));
        inThreads(t, (comm, thread, round) -> {
            String name = path + "/data" + thread;
            int[] in = new int[comm.size()];
            try (MpiFile file = MpiFile.open(comm, name, MpiFile.Mode.CREATE, MpiFile.Mode.RDWR)) {
                file.setView(0, Datatype.INT);
                file.writeOrdered(buf(new int[] {mark(thread, round)}));
                file.sync();
                comm.barrier();
                file.readAtAll(0, buf(in));
            }
            for (int value : in) Check.same(mark(thread, round), value, "value in a file of thread " + thread);
        });
        t.world().barrier();
        if (folder == null) return;
        for (int i = 0; i < THREADS; i++) Files.delete(folder.resolve("data" + i));
        Files.delete(folder);
    }

    /// Two threads of each rank connect through separate ports at the same time.
    @Contract(minRanks = 2, engine = "shm", slow = true)
    public static void connectionsByPorts(Trial t) throws InterruptedException {
        inThreads(t, (comm, thread, round) -> {
            boolean serves = comm.rank() % 2 == 0;
            try (OwnedComm half = comm.split(comm.rank() % 2);
                    Port port = comm.rank() == 0 ? Port.open(t.mpi()) : null) {
                String name = comm.bcastObject(String.class, port == null ? null : port.name(), 0);
                Intercomm both = serves ? half.accept(port, 0) : half.connect(name, 0);
                works(both, thread, round);
                both.disconnect();
                comm.barrier(); // close the port only after all ranks have connected
            }
        });
    }
}
