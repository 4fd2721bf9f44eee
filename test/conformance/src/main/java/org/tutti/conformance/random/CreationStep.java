package org.tutti.conformance.random;

import static org.tutti.mpi.Buf.buf;

import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Group;
import org.tutti.mpi.Intercomm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.PersistentRequest;

/// Creates a communicator in a random way, uses it and frees it. Concurrent threads pass the same tags, but
/// different names, as the standard requires (MPI 4.1, section 7.4.2).
final class CreationStep {
    private static final int TAG = 7;

    private enum Kind {
        DUP,
        IDUP,
        SPLIT,
        CREATE_GROUP,
        CREATE_FROM_GROUP,
        CARTESIAN,
        INTERCOMM,
        INTERCOMM_FROM_GROUPS,
        MERGE
    }

    private final Step step;
    private final Comm comm;
    private final int thread;

    /// A value that identifies this step.
    private final int mark;

    CreationStep(Step step, int thread) {
        this.step = step;
        this.thread = thread;
        comm = step.comm();
        mark = step.shared().nextInt(1 << 20);
    }

    void run() {
        int me = step.me(), n = step.size();
        Kind kind = Kind.values()[step.shared().nextInt(Kind.values().length)];
        boolean[] chosen = new boolean[n];
        for (int r = 0; r < n; r++) chosen[r] = step.shared().nextBoolean();
        int[] members = IntStream.range(0, n).filter(r -> chosen[r]).toArray();
        int[] unchosen = IntStream.range(0, n).filter(r -> !chosen[r]).toArray();
        boolean split = members.length > 0 && unchosen.length > 0;
        switch (kind) {
            case DUP -> works(comm.dup());
            case IDUP -> {
                var first = comm.idup();
                var second = comm.idup();
                int sum = comm.allreduce(mark, Op.SUM);
                Check.same((long) n * mark, sum, "sum while idup is pending");
                works(second.awaitComm());
                works(first.awaitComm());
            }
            case SPLIT -> works(comm.split(chosen[me] ? 1 : 0, -me));
            case CREATE_GROUP -> {
                if (chosen[me]) works(comm.createGroup(comm.group().incl(members), TAG));
            }
            case CREATE_FROM_GROUP -> {
                if (chosen[me])
                    works(step.trial().mpi().createFromGroup(comm.group().incl(members), name()));
            }
            case CARTESIAN ->
                works(comm.cartesian(new int[] {n}, new boolean[] {step.shared().nextBoolean()}));
            case INTERCOMM, MERGE -> {
                if (split) intercomm(chosen[me], members[0], unchosen[0], kind == Kind.MERGE);
            }
            case INTERCOMM_FROM_GROUPS -> {
                if (!split) return;
                Group one = comm.group().incl(members), two = comm.group().incl(unchosen);
                boolean low = chosen[me];
                try (Intercomm both =
                        step.trial().mpi().intercommFromGroups(low ? one : two, low ? two : one, name())) {
                    works(both);
                }
            }
        }
    }

    private String name() {
        return "thread " + thread;
    }

    private void intercomm(boolean low, int first, int second, boolean merges) {
        try (OwnedComm half = comm.split(low ? 0 : 1);
                Intercomm both = half.intercomm(0, comm, low ? second : first, TAG)) {
            works(both);
            if (merges) works(both.merge(!low));
        }
    }

    private void works(OwnedComm made) {
        try (made) {
            Check.same((long) made.size() * mark, made.allreduce(mark, Op.SUM), "sum");
            int[] value = {made.rank() == 0 ? mark : -1};
            try (PersistentRequest give = made.bcastInit(buf(value), 0)) {
                give.start();
                give.await();
            }
            Check.same(mark, value[0], "value from the root");
        }
    }

    private void works(Intercomm both) {
        int[] in = new int[both.remoteSize()];
        both.allgather(buf(new int[] {mark + both.rank()}), buf(in));
        for (int r = 0; r < in.length; r++) Check.same(mark + r, in[r], "value of a remote rank");
    }
}
