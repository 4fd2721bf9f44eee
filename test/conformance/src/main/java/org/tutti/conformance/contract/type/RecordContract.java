package org.tutti.conformance.contract.type;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.DoubleInt;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Op;
import org.tutti.mpi.Packer;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Records;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Records as elements of buffers. MPI 4.1, section 5.1.2.
public final class RecordContract {
    record Particle(double x, double y, int id) {}

    record Pair(Particle one, Particle other) {}

    record Body(byte kind, Particle at, boolean alive, char symbol, float mass, short charge, long number) {}

    /// The accessor throws if the number is negative.
    record Shy(int number) {
        @Override
        public int number() {
            if (number < 0) throw new IllegalStateException("a shy record");
            return number;
        }
    }

    private RecordContract() {}

    /// Returns null as `T`, without a warning of the nullness checker.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals", "NullAway"})
    private static <T> T nothing() {
        return (T) null;
    }

    private static Particle particle(int rank, int i) {
        return new Particle(rank + i / 4.0, -i, 100 * rank + i);
    }

    private static Body body(int rank, int i) {
        return new Body(
                (byte) i, particle(rank, i), i % 2 == 0, (char) ('a' + i % 26), i, (short) -rank, -1L << i % 60);
    }

    private static Particle[] particles(int rank, int count) {
        Particle[] all = new Particle[count];
        Arrays.setAll(all, i -> particle(rank, i));
        return all;
    }

    @Contract
    public static void arraysOfRecords(Trial t) {
        for (int count : new int[] {0, 1, 7, 5000}) {
            Body[] out = new Body[count];
            @Nullable Body[] in = new @Nullable Body[count + 2];
            Arrays.setAll(out, i -> body(t.rank(), i));
            in[count + 1] = body(77, 77);
            Body last = in[count + 1];
            Request receive = t.world().irecv(buf(in, 1, count + 1), t.left(), 1);
            t.world().send(buf(out), t.right(), 1);
            Status s = receive.await();
            Check.same(count, s.count(), "count of records");
            Check.same(9L * count, s.elements(Datatype.ofRecord(Body.class)), "elements of records");
            Check.same(null, in[0], "element before the slice");
            for (int i = 0; i < count; i++) Check.same(body(t.left(), i), in[1 + i], "record " + i);
            Check.that(in[count + 1] == last, "a record after a shorter message was replaced");
        }
    }

    @Contract
    public static void arraysMatchStructsInMemory(Trial t) {
        int count = 100;
        Records<Particle> memory = Records.of(t.alloc(0, count * Records.sizeBytes(Particle.class)), Particle.class);
        t.world().sendrecv(buf(particles(t.rank(), count)), t.right(), 1, memory.buf(), t.left(), 1);
        for (int i = 0; i < count; i++) Check.same(particle(t.left(), i), memory.get(i), "record " + i);
        for (int i = 0; i < count; i++) memory.set(i, particle(t.rank(), 2 * i));
        @Nullable Particle[] in = new @Nullable Particle[10];
        t.world().sendrecv(memory.buf(5, 10), t.right(), 2, buf(in), t.left(), 2);
        for (int i = 0; i < 10; i++) Check.same(particle(t.left(), 10 + 2 * i), in[i], "record " + i);
        Datatype byHand = Datatype.struct(new int[] {2, 1}, new long[] {0, 16}, Datatype.DOUBLE, Datatype.INT);
        byte[] struct = new byte[24 * 10];
        t.world().sendrecv(buf(in), t.right(), 3, buf(struct, 0, 10, byHand), t.left(), 3);
        Records<Particle> seen = Records.of(MemorySegment.ofArray(struct), Particle.class);
        int before = (t.left() + t.size() - 1) % t.size();
        for (int i = 0; i < 10; i++) Check.same(particle(before, 10 + 2 * i), seen.get(i), "record " + i);
    }

    @Contract
    public static void unreadableRecordIsNotSent(Trial t) {
        Buf shy = buf(new Shy[] {new Shy(-1)});
        @Nullable Shy[] in = new @Nullable Shy[1];
        Runnable[] calls = {
            () -> t.world().sendrecv(shy, t.right(), 1, buf(in), t.left(), 1),
            () -> t.world().isendrecv(shy, t.right(), 1, buf(in), t.left(), 1).await()
        };
        for (Runnable call : calls) {
            String thrown = null;
            try {
                call.run();
            } catch (RuntimeException e) {
                thrown = e.toString();
            }
            Check.that(thrown != null && thrown.contains("a shy record"), "error for an unreadable record: " + thrown);
        }
        t.world().sendrecv(buf(new Shy[] {new Shy(t.rank())}), t.right(), 1, buf(in), t.left(), 1);
        Check.same(new Shy(t.left()), in[0], "the first message that was sent");
    }

    @Contract
    public static void collectiveCallsOfRecords(Trial t) {
        int n = t.size(), root = n - 1;
        Particle[] one = t.rank() == root ? particles(root, 3) : new Particle[3];
        t.world().bcast(buf(one), root);
        for (int i = 0; i < 3; i++) Check.same(particle(root, i), one[i], "bcast, record " + i);

        @Nullable Particle[] all = new @Nullable Particle[2 * n];
        t.world().allgather(buf(particles(t.rank(), 2)), buf(all));
        for (int i = 0; i < all.length; i++) Check.same(particle(i / 2, i % 2), all[i], "allgather, record " + i);

        @Nullable Particle[] mine = new @Nullable Particle[2];
        t.world().scatter(t.rank() == root ? buf(all) : Buf.NONE, buf(mine), root);
        for (int i = 0; i < 2; i++) Check.same(particle(t.rank(), i), mine[i], "scatter, record " + i);

        // rank r has r records; one element between two blocks is unused
        long[] counts = new long[n], displacements = new long[n];
        int end = 0;
        for (int r = 0; r < n; r++) {
            counts[r] = r;
            displacements[r] = end;
            end += r + 1;
        }
        @Nullable Particle[] uneven = new @Nullable Particle[end];
        Buf into = buf(uneven).blocks(counts, displacements);
        t.world().gather(buf(particles(t.rank(), t.rank())), t.rank() == root ? into : Buf.NONE, root);
        for (int r = 0; r < n && t.rank() == root; r++) {
            for (int i = 0; i < r; i++) {
                Check.same(particle(r, i), uneven[(int) displacements[r] + i], "gather, record " + i + " of " + r);
            }
            Check.same(null, uneven[(int) displacements[r] + r], "gather, the element after block " + r);
        }
    }

    @Contract
    public static void persistentMessagesOfChangingRecords(Trial t) {
        Particle[] out = new Particle[2];
        @Nullable Particle[] in = new @Nullable Particle[2];
        Arrays.fill(out, particle(0, 0));
        try (PersistentRequest send = t.world().sendInit(buf(out), t.right(), 1);
                PersistentRequest receive = t.world().recvInit(buf(in), t.left(), 1)) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 2; i++) out[i] = particle(t.rank(), 10 * round + i);
                receive.start();
                send.start();
                send.await();
                receive.await();
                for (int i = 0; i < 2; i++) Check.same(particle(t.left(), 10 * round + i), in[i], "record " + i);
            }
        }
    }

    @Contract
    public static void nullRecordsAreRejected(Trial t) {
        @Nullable Particle[] some = Arrays.copyOf(particles(0, 2), 3);
        String end = ": record 2 of the 3 to be sent is null (" + t.where() + ")";
        Check.rejects(ErrorClass.ERR_BUFFER, "send" + end, () -> t.world().send(buf(some), 0));
        Check.rejects(ErrorClass.ERR_BUFFER, "isend" + end, () -> t.world().isend(buf(some), 0));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "allgather" + end,
                () -> t.world().allgather(buf(some), buf(new Particle[3 * t.size()])));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: SUM is not defined for Particle; see the table at Op (" + t.where() + ")",
                () -> t.world().allreduce(buf(particles(0, 3)), Op.SUM));
        Check.rejects(
                ErrorClass.ERR_OP,
                "allreduce: MAXLOC is not defined for DoubleInt; pass pairs: buf(values, places) (" + t.where() + ")",
                () -> t.world().allreduce(buf(new DoubleInt[] {new DoubleInt(1, 2)}), Op.MAXLOC));
    }

    /// Null is detected before the call begins, and also when a persistent call is started.
    @Contract
    public static void nullsInNestedRecordsAreRejected(Trial t) {
        String where = " (" + t.where() + ")";
        Pair half = new Pair(particle(0, 0), nothing());
        Pair[] pairs = {new Pair(particle(0, 1), particle(0, 2)), half};
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "sendrecv: record 1 of the 2 to be sent contains null instead of a record" + where,
                () -> t.world().sendrecv(buf(pairs), t.right(), buf(new Pair[2]), t.left()));
        Check.rejects(
                ErrorClass.ERR_BUFFER,
                "Packer.add: record 1 of the 2 to be sent contains null instead of a record",
                () -> new Packer().add(buf(pairs)));
        @Nullable Particle[] some = particles(t.rank(), 1);
        try (PersistentRequest send = t.world().sendInit(buf(some), t.right(), 1);
                PersistentRequest all = t.world().bcastInit(buf(some), 0)) {
            some[0] = null;
            String end = ": record 0 of the 1 to be sent is null" + where;
            Check.rejects(ErrorClass.ERR_BUFFER, "sendInit" + end, send::start);
            if (t.rank() == 0) Check.rejects(ErrorClass.ERR_BUFFER, "bcastInit" + end, all::start);
            some[0] = particle(t.rank(), 3);
            @Nullable Particle[] in = new @Nullable Particle[1];
            Request receive = t.world().irecv(buf(in), t.left(), 1);
            send.start();
            send.await();
            receive.await();
            Check.same(particle(t.left(), 3), in[0], "record sent after the array was filled");
            all.start();
            all.await();
            Check.same(particle(0, 3), some[0], "record broadcast after the array was filled");
        }
    }
}
