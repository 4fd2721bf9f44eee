package org.tutti.conformance.contract.comm;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// New communicators. MPI 4.1, section 7.4.2.
public final class SplitContract {
    private SplitContract() {}

    @Contract
    public static void evenAndOdd(Trial t) {
        try (OwnedComm half = t.world().split(t.rank() % 2, t.rank())) {
            int members = (t.size() + 1 - t.rank() % 2) / 2;
            Check.same(members, half.size(), "size");
            Check.same(t.rank() / 2, half.rank(), "rank");
            int sum = 0;
            for (int r = t.rank() % 2; r < t.size(); r += 2) sum += r;
            Check.same(sum, half.allreduce(t.rank(), Op.SUM), "sum over the half");
            half.barrier();
        }
    }

    @Contract
    public static void keysOrderTheRanks(Trial t) {
        int n = t.size();
        try (OwnedComm reversed = t.world().split(3, -t.rank());
                OwnedComm equal = t.world().split(0, 0);
                OwnedComm far = t.world().split(1, t.rank() == 0 ? Integer.MAX_VALUE : Integer.MIN_VALUE)) {
            Check.same(n - 1 - t.rank(), reversed.rank(), "rank by descending keys");
            Check.same(t.rank(), equal.rank(), "rank by equal keys");
            Check.same(t.rank() == 0 ? n - 1 : t.rank() - 1, far.rank(), "rank by far keys");
            int[] all = new int[n];
            reversed.allgather(buf(new int[] {t.rank()}), buf(all));
            for (int r = 0; r < n; r++) Check.same(n - 1 - r, all[r], "world rank of rank " + r);
            int[] x = {t.rank()};
            reversed.bcast(buf(x), 0);
            Check.same(n - 1, x[0], "bcast from the new rank 0");
            int[] in = new int[1];
            Status s = reversed.sendrecv(
                    buf(new int[] {t.rank()}), (reversed.rank() + 1) % n, buf(in), (reversed.rank() + n - 1) % n);
            Check.same((reversed.rank() + n - 1) % n, s.source(), "source is a rank of the new communicator");
            Check.same(t.right(), in[0], "value in the reversed ring");
        }
    }

    @Contract
    public static void undefinedIsInNoCommunicator(Trial t) {
        boolean out = t.rank() == 0;
        try (OwnedComm part = t.world().split(out ? Comm.UNDEFINED : 7, 0)) {
            if (out) {
                Check.same(0, part.size(), "size of no part");
                Check.same(Comm.UNDEFINED, part.rank(), "rank in no part");
                Check.same("Comm (no ranks, NULL)", part.toString(), "text of no part");
                Check.rejects(
                        ErrorClass.ERR_COMM,
                        "barrier: this rank passed UNDEFINED to split and is not in any part (" + t.where() + ")",
                        part::barrier);
            } else {
                Check.same(t.size() - 1, part.size(), "size of the part");
                Check.same(t.rank() - 1, part.rank(), "rank in the part");
                Check.same(t.size() - 1, part.allreduce(1, Op.SUM), "sum over the part");
            }
        }
    }

    @Contract
    public static void splitOfASplit(Trial t) {
        try (OwnedComm half = t.world().split(t.rank() % 2, t.rank());
                OwnedComm quarter = half.split(half.rank() % 2, -half.rank())) {
            Check.same((half.size() + 1 - half.rank() % 2) / 2, quarter.size(), "size of the quarter");
            int[] all = new int[quarter.size()];
            quarter.allgather(buf(new int[] {t.rank()}), buf(all));
            for (int i = 0; i < all.length; i++) {
                Check.same(t.rank() % 4, all[i] % 4, "a member of the quarter");
                Check.that(i == 0 || all[i] == all[i - 1] - 4, "order of the quarter");
            }
        }
    }

    /// Messages, wildcards and collectives match only in the same communicator.
    @Contract
    public static void contextsAreSeparate(Trial t) {
        try (OwnedComm a = t.world().dup();
                OwnedComm b = t.world().dup()) {
            int[] inWorld = new int[1];
            int[] inA = new int[1];
            int[] inB = new int[1];
            Request ofB = b.irecv(buf(inB), Comm.ANY_SOURCE, Comm.ANY_TAG);
            Request ofWorld = t.world().irecv(buf(inWorld), t.left(), 5);
            Request ofA = a.irecv(buf(inA), Comm.ANY_SOURCE, 5);
            t.world().barrier();
            List<Request> sends = new ArrayList<>();
            sends.add(a.isend(buf(new int[] {1}), t.right(), 5));
            sends.add(t.world().isend(buf(new int[] {2}), t.right(), 5));
            sends.add(b.isend(buf(new int[] {3}), t.right(), 5));
            ofA.await();
            ofWorld.await();
            ofB.await();
            for (Request s : sends) s.await();
            Check.same(1, inA[0], "message of the first dup");
            Check.same(2, inWorld[0], "message of world");
            Check.same(3, inB[0], "message of the second dup");
        }
    }

    @Contract(minRanks = 2)
    public static void messagesOfAPartDoNotMatchInWorld(Trial t) {
        try (OwnedComm part = t.world().split(0, -t.rank())) {
            int n = t.size();
            int[] in = new int[1];
            Request fromWorld = t.world().irecv(buf(in));
            // the right neighbor has different rank numbers in the two communicators
            int right = part.rank() == 0 ? n - 1 : part.rank() - 1;
            Request viaPart = part.isend(buf(new int[] {10}), right, 0);
            t.world().barrier();
            Check.that(!fromWorld.test(), "a receive in world matched a message in the part");
            t.world().barrier();
            Request viaWorld = t.world().isend(buf(new int[] {20}), t.right(), 0);
            fromWorld.await();
            Check.same(20, in[0], "message of world");
            part.recv(buf(in));
            Check.same(10, in[0], "message of the part");
            viaPart.await();
            viaWorld.await();
        }
    }

    @Contract
    public static void concurrentCollectivesOfTwoCommunicators(Trial t) {
        try (OwnedComm half = t.world().split(t.rank() % 2, 0);
                OwnedComm all = t.world().dup()) {
            for (int i = 0; i < 50; i++) {
                Check.same(half.size(), half.allreduce(1, Op.SUM), "sum over the half");
                Check.same(t.size(), all.allreduce(1, Op.SUM), "sum over all");
                half.barrier();
            }
        }
    }

    @Contract
    public static void fiftySplitsAndCloses(Trial t) {
        for (int i = 0; i < 50; i++) {
            try (OwnedComm part = t.world().split(t.rank() % (1 + i % 3), i % 2 == 0 ? t.rank() : -t.rank())) {
                int[] x = {part.rank() == 0 ? i : -1};
                part.bcast(buf(x), 0);
                Check.same(i, x[0], "bcast in split " + i);
                int n = part.size();
                int[] in = new int[1];
                part.sendrecv(buf(x), (part.rank() + 1) % n, i, buf(in), (part.rank() + n - 1) % n, i);
                Check.same(i, in[0], "sendrecv in split " + i);
            }
        }
    }

    @Contract
    public static void manyConcurrentCommunicators(Trial t) {
        List<OwnedComm> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) open.add(t.world().dup());
        List<Request> requests = new ArrayList<>();
        int[][] in = new int[open.size()][1];
        for (int i = 0; i < open.size(); i++) {
            requests.add(open.get(i).isend(buf(new int[] {i}), t.right(), 0));
        }
        for (int i = open.size() - 1; i >= 0; i--) requests.add(open.get(i).irecv(buf(in[i]), t.left(), 0));
        for (Request r : requests) r.await();
        for (int i = 0; i < open.size(); i++) Check.same(i, in[i][0], "message of communicator " + i);
        open.forEach(OwnedComm::close);
    }

    @Contract
    public static void partsOfSelf(Trial t) {
        try (OwnedComm mine = t.mpi().self().dup();
                OwnedComm part = mine.split(4, 9)) {
            Check.same(1, part.size(), "size");
            Check.same(t.rank(), part.allreduce(t.rank(), Op.SUM), "sum over myself");
        }
        t.world().barrier();
    }
}
