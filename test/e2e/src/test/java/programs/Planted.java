package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import programs.PlantedPlan.Kind;
import programs.PlantedPlan.Mistake;
import programs.PlantedPlan.Step;

/// Executes the [PlantedPlan] of the seed in the argument, with the planted mistake. Every kind of step has
/// separate calls, in lines that end with the name of the kind, so that a line identifies the kind of step.
public final class Planted {
    private static final int LARGE = 1 << 20, OTHER_TAG = 5;

    private final PlantedPlan plan;
    private final Comm world;
    private final Comm copy;
    private final Comm half;
    private final int me;
    private final int size;

    private Planted(PlantedPlan plan, Comm world, Comm copy, Comm half) {
        this.plan = plan;
        this.world = world;
        this.copy = copy;
        this.half = half;
        me = world.rank();
        size = world.size();
    }

    public static void main(String[] args) throws InterruptedException {
        PlantedPlan plan = PlantedPlan.of(Long.parseLong(args[0]));
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            try (OwnedComm copy = world.dup();
                    OwnedComm half = world.split(world.rank() % 2)) {
                new Planted(plan, world, copy, half).run();
            }
        }
    }

    private void run() throws InterruptedException {
        for (Step step : plan.steps()) {
            boolean wrong = me == plan.culprit() && step.number() == plan.at();
            boolean done =
                    me == plan.culprit() && plan.mistake() == Mistake.OTHER_ORDER && step.number() == plan.at() + 1;
            if (wrong) wrong(step);
            else if (!done) step(step, step.tag(), -1);
        }
        world.barrier(); // END
    }

    private void wrong(Step step) throws InterruptedException {
        switch (plan.mistake()) {
            case SKIP -> {}
            case SLEEP -> Thread.sleep(Long.MAX_VALUE); // SLEEP
            case LOOP -> loop();
            case OTHER_CALL -> otherCall(step);
            case WRONG_TAG -> step(step, step.tag() + OTHER_TAG, -1);
            case WRONG_PEER -> step(step, step.tag(), otherPeer(step));
            case OTHER_ORDER -> {
                Step next = plan.steps().get(step.number() + 1);
                step(next, next.tag(), -1);
                step(step, step.tag(), -1);
            }
        }
    }

    private static void loop() {
        long x = 1;
        while (x != 0) x = x * 6364136223846793005L | 1; // LOOP
    }

    private void otherCall(Step step) {
        Comm comm = comm(step);
        if (step.kind() == Kind.ALLREDUCE) comm.barrier(); // OTHER_CALL
        else comm.allreduce(2.5, Op.MAX); // OTHER_CALL
    }

    private int otherPeer(Step step) {
        int peer = 0;
        while (peer == step.root() || peer == step.dest()) peer++;
        return peer;
    }

    private Comm comm(Step step) {
        return switch (step.place()) {
            case WORLD -> world;
            case COPY -> copy;
            case HALF -> half;
        };
    }

    /// @param other a wrong destination or source; -1 for the correct one
    private void step(Step step, int tag, int other) {
        if (!step.has(me)) return;
        Comm comm = comm(step);
        int root = step.root();
        if (step.kind().isMessage()) {
            if (me == root) send(step.kind(), comm, other < 0 ? step.dest() : other, tag);
            else receive(step.kind(), comm, other < 0 ? root : other, tag);
            return;
        }
        int[] one = {me}, all = new int[comm.size()];
        switch (step.kind()) {
            case SEND, LARGE, SSEND, OBJECT, PROBE, NONBLOCKING -> throw new IllegalStateException("a message");
            case RING -> ring(comm, tag);
            case ANY_SOURCE -> anySource(comm, root, tag);
            case BARRIER -> comm.barrier(); // BARRIER
            case BCAST -> comm.bcast(buf(one), root); // BCAST
            case REDUCE -> comm.reduce(buf(one), Op.SUM, root); // REDUCE
            case ALLREDUCE -> comm.allreduce(buf(one), Op.SUM); // ALLREDUCE
            case GATHER -> comm.gather(buf(one), buf(all), root); // GATHER
            case SCATTER -> comm.scatter(buf(all), buf(one), root); // SCATTER
            case ALLGATHER -> comm.allgather(buf(one), buf(all)); // ALLGATHER
            case ALLTOALL -> comm.alltoall(buf(all)); // ALLTOALL
            case SCAN -> comm.scan(buf(one), Op.SUM); // SCAN
            case IBARRIER -> {
                Request barrier = comm.ibarrier(); // IBARRIER
                barrier.await(); // IBARRIER
            }
            case IALLREDUCE -> {
                Request sum = comm.iallreduce(Buf.IN_PLACE, buf(one), Op.SUM); // IALLREDUCE
                sum.await(); // IALLREDUCE
            }
        }
    }

    private static void send(Kind kind, Comm comm, int dest, int tag) {
        int[] data = {7};
        switch (kind) {
            case LARGE -> comm.send(buf(new byte[LARGE]), dest, tag); // LARGE
            case SSEND -> comm.ssend(buf(data), dest, tag); // SSEND
            case OBJECT -> comm.sendObject("seven", dest, tag); // OBJECT
            case PROBE -> comm.send(buf(data), dest, tag); // PROBE
            case NONBLOCKING -> {
                Request send = comm.isend(buf(data), dest, tag); // NONBLOCKING
                send.await(); // NONBLOCKING
            }
            default -> comm.send(buf(data), dest, tag); // SEND
        }
    }

    private static void receive(Kind kind, Comm comm, int source, int tag) {
        int[] data = new int[1];
        switch (kind) {
            case LARGE -> comm.recv(buf(new byte[LARGE]), source, tag); // LARGE
            case SSEND -> comm.recv(buf(data), source, tag); // SSEND
            case OBJECT -> comm.recvObject(String.class, source, tag); // OBJECT
            case PROBE -> {
                comm.probe(source, tag); // PROBE
                comm.recv(buf(data), source, tag); // PROBE
            }
            case NONBLOCKING -> {
                Request receive = comm.irecv(buf(data), source, tag); // NONBLOCKING
                receive.await(); // NONBLOCKING
            }
            default -> comm.recv(buf(data), source, tag); // SEND
        }
    }

    private void ring(Comm comm, int tag) {
        int right = (me + 1) % size, left = (me + size - 1) % size;
        comm.sendrecv(buf(new int[] {me}), right, tag, buf(new int[1]), left, tag); // RING
    }

    private void anySource(Comm comm, int root, int tag) {
        if (me != root) comm.send(buf(new int[] {me}), root, tag); // ANY_SOURCE
        else for (int i = 1; i < size; i++) comm.recv(buf(new int[1]), Comm.ANY_SOURCE, tag); // ANY_SOURCE
    }
}
