package org.tutti.conformance.contract.comm;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.CommRequest;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.ErrorCode;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.ObjectRequest;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;

/// Names, attributes and comparison of communicators. MPI 4.1, sections 7.4.1, 7.4.4, 7.7, 7.8.
public final class CommContract {
    private static final AttributeKey<List<String>> LABELS = AttributeKey.of("labels");
    private static final AttributeKey<List<String>> SAME_NAME = AttributeKey.of("labels");

    private CommContract() {}

    @Contract
    public static void comparesRanksOrderAndContext(Trial t) {
        Comm world = t.world();
        boolean single = t.size() == 1;
        try (OwnedComm dup = world.dup();
                OwnedComm reversed = world.split(0, -t.rank());
                OwnedComm parity = world.split(t.rank() % 2)) {
            Check.same(Comparison.IDENT, world.compare(world), "world and world");
            Check.same(Comparison.IDENT, world.compare(t.mpi().world()), "two objects for world");
            Check.same(Comparison.CONGRUENT, world.compare(dup), "world and dup");
            Check.same(Comparison.CONGRUENT, dup.compare(world), "dup and world");
            Check.same(single ? Comparison.CONGRUENT : Comparison.SIMILAR, dup.compare(reversed), "dup and reversed");
            Check.same(single ? Comparison.CONGRUENT : Comparison.UNEQUAL, parity.compare(world), "half and world");
            Check.same(
                    single ? Comparison.CONGRUENT : Comparison.UNEQUAL,
                    t.mpi().self().compare(world),
                    "self and world");
        }
        OwnedComm closed = world.dup();
        closed.close();
        Check.fails(ErrorClass.ERR_COMM, () -> world.compare(closed));
    }

    @Contract
    public static void namesShowTheParent(Trial t) {
        try (OwnedComm base = t.world().dup()) {
            base.setName("base");
            Check.same("base", base.name(), "name");
            try (OwnedComm first = base.split(t.rank() % 2);
                    OwnedComm second = first.dup();
                    OwnedComm third = base.create(base.group());
                    OwnedComm fourth = base.createGroup(base.group(), 9)) {
                Check.same("base.split1", first.name(), "name of a split");
                Check.same("base.split1.dup1", second.name(), "name of a dup");
                Check.same("base.create2", third.name(), "name after create");
                Check.same("base.createGroup9", fourth.name(), "name after createGroup");
                third.setName("of rows");
                int n = t.size();
                Check.rejects(
                        ErrorClass.ERR_RANK,
                        "send: dest=" + n + " is not a rank of of rows, which has ranks 0 to " + (n - 1) + " (rank "
                                + t.rank() + " of " + n + ", of rows)",
                        () -> third.send(buf(new int[1]), n));
            }
        }
    }

    @Contract
    public static void attributesArePerCommunicator(Trial t) {
        try (OwnedComm a = t.world().dup()) {
            Check.same(null, a.attribute(LABELS), "before");
            a.setAttribute(LABELS, List.of("one"));
            a.setAttribute(SAME_NAME, List.of("other"));
            a.setAttribute(LABELS, List.of("two", "rank " + t.rank()));
            try (OwnedComm b = a.dup()) {
                Check.same(null, b.attribute(LABELS), "of a dup");
                b.setAttribute(LABELS, List.of());
            }
            Check.same(List.of("two", "rank " + t.rank()), a.attribute(LABELS), "after");
            Check.same(List.of("two", "rank " + t.rank()), a.deleteAttribute(LABELS), "deleted");
            Check.same(null, a.attribute(LABELS), "after it was deleted");
            Check.same(null, a.deleteAttribute(LABELS), "deleted twice");
            Check.same(List.of("other"), a.attribute(SAME_NAME), "of a key of the same name");
        }
    }

    @Contract
    public static void keysCopyAndDeleteValues(Trial t) {
        List<String> calls = new ArrayList<>();
        AttributeKey<String> one =
                AttributeKey.of("one", (c, v) -> v + "'", (c, v) -> calls.add(c.name() + " deletes " + v));
        AttributeKey<String> two = AttributeKey.of(
                "two", (c, v) -> v.isEmpty() ? null : v, (c, v) -> calls.add(c.name() + " deletes " + v));
        try (OwnedComm a = t.world().dup()) {
            a.setName("a");
            a.setAttribute(one, "x");
            a.setAttribute(two, "y");
            a.setAttribute(LABELS, List.of("stays"));
            Check.same(List.of(), calls, "deleter calls after setAttribute");
            CommRequest<? extends OwnedComm> pending = a.idup(Map.of("colour", "red"));
            a.setAttribute(one, "z");
            a.setAttribute(two, "");
            Check.same(List.of("a deletes x", "a deletes y"), calls, "deleter calls after overwriting");
            calls.clear();
            OwnedComm later = pending.awaitComm();
            try (OwnedComm b = a.dup(Map.of());
                    OwnedComm part = a.split(0)) {
                Check.same("z'", b.attribute(one), "a copy");
                Check.same(null, b.attribute(two), "value that the copier drops");
                Check.same(null, b.attribute(LABELS), "value without a copier");
                Check.same("x'", later.attribute(one), "a copy as it was when it began");
                Check.same("y", later.attribute(two), "overwritten value, copied as of idup");
                Check.same(Map.of(), b.info(), "the hints that dup was given");
                Check.same(Map.of("colour", "red"), later.info(), "the hints that idup was given");
                Check.same(null, part.attribute(one), "of a part");
                later.setName("c");
                later.close();
                Check.same(List.of("c deletes y", "c deletes x'"), calls, "on close, the last first");
                calls.clear();
                Check.same("", a.deleteAttribute(two), "deleted value");
                Check.same(List.of("a deletes "), calls, "when it is deleted");
            }
            AttributeKey<String> bad = AttributeKey.of("bad", (c, v) -> v, (c, v) -> {
                throw new IllegalStateException("no " + v);
            });
            OwnedComm d = a.dup();
            calls.clear();
            d.setName("d");
            d.setAttribute(two, "w");
            d.setAttribute(bad, "way");
            String thrown = "";
            try {
                d.setAttribute(bad, "other");
            } catch (IllegalStateException e) {
                thrown = e.getMessage();
            }
            Check.same("no way", thrown, "a deleter that throws");
            Check.same("way", d.attribute(bad), "value after a failed overwrite");
            try {
                d.close();
            } catch (IllegalStateException e) {
                thrown = "close: " + e.getMessage();
            }
            Check.same("close: no way", thrown, "a deleter that throws on close");
            Check.same(List.of("d deletes w", "d deletes z'"), calls, "deleter calls after one deleter threw");
            Check.fails(ErrorClass.ERR_COMM, d::barrier);
        }
    }

    /// Two duplications are awaited in reverse order, with other calls in between.
    @Contract
    public static void idupCopiesLater(Trial t) {
        CommRequest<? extends OwnedComm> first = t.world().idup();
        Request barrier = t.world().ibarrier();
        CommRequest<? extends OwnedComm> second = t.world().idup();
        Check.same(t.size(), t.world().allreduce(1, Op.SUM), "a call meanwhile");
        barrier.await();
        try (OwnedComm b = second.awaitComm();
                OwnedComm a = first.awaitComm()) {
            Check.same(a, first.awaitComm(), "second awaitComm");
            Check.same(Comparison.CONGRUENT, a.compare(t.world()), "with the world");
            Check.same(Comparison.CONGRUENT, a.compare(b), "with each other");
            int[] in = new int[1];
            Request fromB = b.irecv(buf(in));
            Request sentA = a.isend(buf(new int[] {1}), t.right());
            Request sentB = b.isend(buf(new int[] {2}), t.right());
            fromB.await();
            Check.same(2, in[0], "value received in the second communicator");
            a.recv(buf(in));
            Check.same(1, in[0], "value received in the first communicator");
            sentA.await();
            sentB.await();
            Check.same(t.size(), a.allreduce(1, Op.SUM), "a call on the first");
        }
    }

    @Contract
    public static void librariesDefineErrors(Trial t) {
        ErrorClass solver = ErrorClass.of("ERR_SOLVER");
        ErrorCode diverged = ErrorCode.of(solver, "the iteration diverged");
        ErrorCode badRank = ErrorCode.of(ErrorClass.ERR_RANK, "no rank has that row");
        MpiException e = Check.fails(solver, () -> {
            throw t.world().error("solve", diverged, "residual=3.0");
        });
        Check.same(
                "solve: ERR_SOLVER, the iteration diverged: residual=3.0 (" + t.where() + ")", e.getMessage(), "text");
        Check.same(diverged, e.errorCode(), "code");
        Check.same("solve", e.operation(), "operation");
        Check.that(ErrorClass.of("ERR_SOLVER") != solver, "two calls of ErrorClass.of return the same class");
        MpiException other = t.world().error("row", badRank, "row=7");
        Check.same(ErrorClass.ERR_RANK, other.errorClass(), "a code of a predefined class");
        MpiException mpis = Check.fails(ErrorClass.ERR_RANK, () -> t.world().send(buf(new int[1]), -9));
        Check.same(null, mpis.errorCode(), "code of a predefined error");
        // MPI continues to work
        Check.same(t.size(), t.world().allreduce(1, Op.SUM), "sum");
    }

    @Contract
    public static void hintsAreCopiedToDups(Trial t) {
        try (OwnedComm a = t.world().dup()) {
            Check.same(Map.of(), a.info(), "at first");
            a.setInfo(Map.of("mpi_assert_no_any_tag", "false", "colour", "red"));
            Map<String, String> before = a.info();
            a.setInfo(Map.of("colour", "blue"));
            Check.same(Map.of("mpi_assert_no_any_tag", "false", "colour", "red"), before, "as it was");
            Map<String, String> now = Map.of("mpi_assert_no_any_tag", "false", "colour", "blue");
            Check.same(now, a.info(), "as it is");
            try (OwnedComm copy = a.dup();
                    OwnedComm part = a.split(0)) {
                Check.same(now, copy.info(), "of a dup");
                Check.same(Map.of(), part.info(), "of a split");
                copy.setInfo(Map.of("colour", "green"));
            }
            Check.same(now, a.info(), "in the end");
        }
    }

    /// A communicator is closed while operations on it are in progress. These operations complete (section
    /// 7.4.3), although other communicators are created and closed meanwhile.
    @Contract(slow = true)
    public static void closeDoesNotStopPendingOperations(Trial t) {
        int n = t.size();
        for (int round = 0; round < 20; round++) {
            OwnedComm comm = t.world().dup();
            double[] sum = new double[3000], inOrder = {t.rank()}, parts = new double[4 * n];
            Arrays.fill(sum, t.rank());
            Arrays.fill(parts, t.rank());
            ObjectRequest<double[]> object = comm.irecvObject(double[].class, t.left(), 1);
            Request barrier = comm.ibarrier();
            Request reduced = comm.iallreduce(Buf.IN_PLACE, buf(sum), Op.SUM);
            Request ordered = comm.iallreduce(Buf.IN_PLACE, buf(inOrder), Op.SUM.inRankOrder());
            Request exchanged = comm.ialltoall(Buf.IN_PLACE, buf(parts));
            Request sent = comm.isendObject(new double[5000], t.right(), 1);
            comm.close();
            try (OwnedComm other = t.world().dup()) {
                other.barrier();
            }
            exchanged.await();
            ordered.await();
            reduced.await();
            barrier.await();
            sent.await();
            double[] received = object.awaitObject();
            Check.same(5000, received == null ? 0 : received.length, "length of the object");
            Check.same(n * (n - 1) / 2.0, sum[2999], "sum");
            Check.same(n * (n - 1) / 2.0, inOrder[0], "sum in rank order");
            for (int r = 0; r < n; r++) Check.same((double) r, parts[4 * r], "part of rank " + r);
        }
    }
}
