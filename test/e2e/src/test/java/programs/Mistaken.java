package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// A random legal program in which one rank makes one mistake. The seed determines the program. The correct
/// twin has the same steps without the mistake. All ranks draw the same program.
///
/// @param steps the steps, in the same order on all ranks
/// @param mistake the kind of mistake
/// @param at the index of the wrong step
/// @param rank the rank with the mistake
public record Mistaken(int ranks, List<Step> steps, Mistake mistake, int at, int rank) {
    /// The category of the report.
    public enum Category {
        /// Reported on the calling rank, before data is sent.
        ARGUMENT,
        /// Two ranks pass different arguments to one call, or make different calls.
        MISMATCH,
        /// A message does not fit the receive.
        MESSAGE,
        /// Ranks wait forever, or for a rank that has left.
        DEADLOCK,
        /// Reported at close, or in the call that uses a request incorrectly.
        LIFE_CYCLE
    }

    /// The mistakes, each with the steps in which it can occur.
    public enum Mistake {
        NO_SUCH_RANK(Category.ARGUMENT, Kind.MESSAGE),
        NO_SUCH_TAG(Category.ARGUMENT, Kind.MESSAGE),
        NO_SUCH_ROOT(Category.ARGUMENT, Kind.BCAST),
        OVERLAP(Category.ARGUMENT, Kind.ALLREDUCE),
        NULL_OP(Category.ARGUMENT, Kind.ALLREDUCE),
        OTHER_ROOT(Category.MISMATCH, Kind.BCAST),
        OTHER_COUNT(Category.MISMATCH, Kind.ALLREDUCE),
        OTHER_OP(Category.MISMATCH, Kind.ALLREDUCE),
        OTHER_TYPE(Category.MISMATCH, Kind.ALLREDUCE),
        OTHER_CALL(Category.MISMATCH, Kind.BARRIER),
        LEFT_OUT(Category.MISMATCH, Kind.BCAST),
        TYPE_OF_MESSAGE(Category.MESSAGE, Kind.MESSAGE),
        TOO_LONG(Category.MESSAGE, Kind.MESSAGE),
        WRONG_TAG(Category.DEADLOCK, Kind.MESSAGE),
        RECEIVES_FIRST(Category.DEADLOCK, Kind.EXCHANGE),
        NEVER_AWAITED(Category.LIFE_CYCLE, Kind.NONBLOCKING),
        STARTED_TWICE(Category.LIFE_CYCLE, Kind.PERSISTENT),
        NEVER_CLOSED(Category.LIFE_CYCLE, Kind.PERSISTENT),
        COMM_NEVER_CLOSED(Category.LIFE_CYCLE, Kind.DUP),
        USED_AFTER_CLOSE(Category.LIFE_CYCLE, Kind.DUP),
        NEVER_RECEIVED(Category.LIFE_CYCLE, Kind.NONBLOCKING);

        public final Category category;
        final Kind kind;

        Mistake(Category category, Kind kind) {
            this.category = category;
            this.kind = kind;
        }
    }

    enum Kind {
        MESSAGE,
        EXCHANGE,
        BCAST,
        ALLREDUCE,
        BARRIER,
        NONBLOCKING,
        PERSISTENT,
        DUP
    }

    /// @param source the root or the sender
    record Step(Kind kind, int source, int dest, int tag, int count) {}

    public static Mistaken of(long seed, Mistake mistake) {
        SplittableRandom random = new SplittableRandom(seed);
        int ranks = random.nextInt(2, 5);
        List<Step> steps = new ArrayList<>();
        int length = random.nextInt(1, 8), at = random.nextInt(length);
        for (int i = 0; i < length; i++) {
            Kind kind = i == at ? mistake.kind : Kind.values()[random.nextInt(Kind.values().length)];
            int source = random.nextInt(ranks), dest = (source + random.nextInt(1, ranks)) % ranks;
            steps.add(new Step(kind, source, dest, random.nextInt(100), random.nextInt(1, 2_000)));
        }
        Step wrong = steps.get(at);
        int rank = switch (mistake) {
            case NO_SUCH_RANK, NO_SUCH_TAG, TYPE_OF_MESSAGE, TOO_LONG, NEVER_AWAITED -> wrong.source;
            case WRONG_TAG, NEVER_RECEIVED -> wrong.dest;
            case LEFT_OUT -> wrong.dest; // a receiver
            default -> random.nextInt(ranks);
        };
        return new Mistaken(ranks, steps, mistake, at, rank);
    }

    public static void main(String[] args) {
        Mistaken plan = of(Long.parseLong(args[0]), Mistake.valueOf(args[1]));
        try (Mpi mpi = Mpi.init()) {
            plan.run(mpi, args.length > 2);
        }
    }

    /// Executes the program of one rank.
    ///
    /// @param twin whether the program runs without the mistake
    public void run(Mpi mpi, boolean twin) {
        Comm world = mpi.world();
        for (int i = 0; i < steps.size(); i++) {
            boolean isWrong = !twin && i == at && (rank == world.rank() || mistake == Mistake.RECEIVES_FIRST);
            make(steps.get(i), world, isWrong ? mistake : null);
        }
    }

    private void make(Step s, Comm world, @Nullable Mistake wrong) {
        int me = world.rank();
        switch (s.kind) {
            case MESSAGE -> message(s, world, me, wrong);
            case EXCHANGE -> exchange(s, world, me, wrong);
            case BCAST -> bcast(s, world, wrong);
            case ALLREDUCE -> allreduce(s, world, wrong);
            case BARRIER -> {
                if (wrong == Mistake.OTHER_CALL) world.allreduce(1, Op.SUM); // OTHER_CALL
                else world.barrier();
            }
            case NONBLOCKING -> nonblocking(s, world, me, wrong);
            case PERSISTENT -> persistent(s, world, me, wrong);
            case DUP -> dup(world, wrong);
        }
    }

    private void message(Step s, Comm world, int me, @Nullable Mistake wrong) {
        int dest = wrong == Mistake.NO_SUCH_RANK ? ranks + 3 : s.dest;
        int tag = wrong == Mistake.NO_SUCH_TAG ? -7 : s.tag;
        if (me == s.source) {
            Buf data = wrong == Mistake.TYPE_OF_MESSAGE
                    ? buf(new float[s.count])
                    : buf(new int[wrong == Mistake.TOO_LONG ? s.count + 1 : s.count]);
            world.send(data, dest, tag);
        }
        if (me == s.dest) world.recv(buf(new int[s.count]), s.source, wrong == Mistake.WRONG_TAG ? s.tag + 1 : s.tag);
    }

    private void exchange(Step s, Comm world, int me, @Nullable Mistake wrong) {
        int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
        int[] in = new int[s.count];
        if (wrong == Mistake.RECEIVES_FIRST) {
            world.recv(buf(in), left, s.tag); // RECEIVES_FIRST
            world.send(buf(new int[s.count]), right, s.tag);
        } else {
            world.sendrecv(buf(new int[s.count]), right, s.tag, buf(in), left, s.tag);
        }
    }

    private void bcast(Step s, Comm world, @Nullable Mistake wrong) {
        if (wrong == Mistake.LEFT_OUT) return;
        int root = s.source;
        if (wrong == Mistake.NO_SUCH_ROOT) root = ranks;
        if (wrong == Mistake.OTHER_ROOT) root = (s.source + 1) % ranks;
        world.bcast(buf(new int[s.count]), root);
    }

    @SuppressWarnings("NullAway") // the mistake
    private static void allreduce(Step s, Comm world, @Nullable Mistake wrong) {
        Buf in = buf(new int[s.count]), out = buf(new int[s.count]);
        switch (wrong) {
            case OVERLAP -> world.allreduce(in, in, Op.SUM);
            case NULL_OP -> world.allreduce(in, out, null);
            case OTHER_COUNT -> world.allreduce(buf(new int[s.count + 1]), buf(new int[s.count + 1]), Op.SUM);
            case OTHER_OP -> world.allreduce(in, out, Op.MAX);
            case OTHER_TYPE -> world.allreduce(buf(new float[s.count]), buf(new float[s.count]), Op.SUM);
            case null, default -> world.allreduce(in, out, Op.SUM);
        }
    }

    private static void nonblocking(Step s, Comm world, int me, @Nullable Mistake wrong) {
        Request send = me == s.source ? world.isend(buf(new int[s.count]), s.dest, s.tag) : null;
        if (me == s.dest && wrong != Mistake.NEVER_RECEIVED) world.recv(buf(new int[s.count]), s.source, s.tag);
        if (send != null && wrong != Mistake.NEVER_AWAITED) send.await();
    }

    private static void persistent(Step s, Comm world, int me, @Nullable Mistake wrong) {
        PersistentRequest again = world.recvInit(buf(new int[s.count]), me, s.tag);
        again.start();
        if (wrong == Mistake.STARTED_TWICE) again.start();
        world.send(buf(new int[s.count]), me, s.tag);
        again.await();
        if (wrong != Mistake.NEVER_CLOSED) again.close();
    }

    private static void dup(Comm world, @Nullable Mistake wrong) {
        OwnedComm copy = world.dup();
        copy.barrier();
        if (wrong != Mistake.COMM_NEVER_CLOSED) copy.close();
        if (wrong == Mistake.USED_AFTER_CLOSE) copy.size();
        if (wrong == Mistake.USED_AFTER_CLOSE) copy.barrier();
    }
}
