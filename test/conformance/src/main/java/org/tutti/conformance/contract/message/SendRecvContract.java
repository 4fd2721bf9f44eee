package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tutti.conformance.trial.Box;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Plain;
import org.tutti.conformance.trial.Row;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Blocking messages. MPI 4.1, sections 3.2 to 3.5, 3.10 and 3.11.
public final class SendRecvContract {
    private SendRecvContract() {}

    /// Sends to the right and receives from the left. Even ranks send first, so that no buffering is required.
    private static Status round(Trial t, Buf out, Buf in, int tag, int source, int wantedTag) {
        if (t.rank() % 2 == 0) {
            t.world().send(out, t.right(), tag);
            return t.world().recv(in, source, wantedTag);
        }
        Status s = t.world().recv(in, source, wantedTag);
        t.world().send(out, t.right(), tag);
        return s;
    }

    @Contract(minRanks = 2)
    public static void everyTypeFromAndToEveryMemory(Trial t) {
        for (Row row : Row.of(t)) {
            Box out = row.sendBox(t);
            Box.Values expected = i -> row.value(t.left(), i);
            Box in = row.recvBox(t, row.count(), expected);
            Status s = round(t, out.buf(), in.buf(), 3, t.left(), 3);
            in.expect(expected, row + " from rank " + t.left());
            out.expect(i -> row.value(t.rank(), i), row + ", send buffer");
            Check.same(row.count(), s.count(), "count of " + row);
            Check.same((long) row.count() * row.type().sizeBytes(), s.sizeBytes(), "sizeBytes of " + row);
            Check.same(t.left(), s.source(), "source of " + row);
            Check.same(3, s.tag(), "tag of " + row);
        }
    }

    @Contract(minRanks = 2, slow = true)
    public static void sendrecvOfEveryTypeAndMemory(Trial t) {
        for (Row row : Row.of(t)) {
            Box out = row.sendBox(t);
            Box.Values expected = i -> row.value(t.left(), i);
            Box in = row.recvBox(t, row.count(), expected);
            Status s = t.world().sendrecv(out.buf(), t.right(), 5, in.buf(), t.left(), 5);
            in.expect(expected, row + " from rank " + t.left());
            Check.same(row.count(), s.count(), "count of " + row);
            Check.same(t.left(), s.source(), "source of " + row);
        }
    }

    @Contract
    public static void sendrecvWithTheSameRank(Trial t) {
        for (int count : new int[] {0, 1, 1000, 100_003}) {
            int[] out = new int[count];
            int[] in = new int[count];
            for (int i = 0; i < count; i++) out[i] = i ^ t.rank();
            Status s = t.world().sendrecv(buf(out), t.rank(), 1, buf(in), t.rank(), 1);
            Check.same(t.rank(), s.source(), "source of a message to the same rank");
            Check.same(count, s.count(), "count of a message to the same rank");
            Check.that(java.util.Arrays.equals(out, in), "a message of " + count + " to the same rank");
        }
    }

    @Contract
    public static void sendrecvThroughAllRanks(Trial t) {
        int[] token = {t.rank()};
        int[] next = new int[1];
        for (int step = 0; step < t.size(); step++) {
            t.world().sendrecv(buf(token), t.right(), buf(next), t.left());
            token[0] = next[0];
        }
        Check.same(t.rank(), token[0], "the token that went round");
    }

    /// A message may be shorter than the buffer; the rest of the buffer does not change.
    @Contract(minRanks = 2)
    public static void shorterThanTheBuffer(Trial t) {
        for (Datatype type : Plain.TYPES) {
            for (int count : new int[] {0, 1, 5, 3000}) {
                Box out = Box.of(t, 0, org.tutti.conformance.trial.MemoryKind.SLICE, type, count);
                out.fill(i -> Plain.value(type, 7, t.rank(), i));
                Box in = Box.of(t, 1, org.tutti.conformance.trial.MemoryKind.SLICE, type, count + 4);
                in.fill(i -> Plain.value(type, 8, t.rank(), i));
                Status s = round(t, out.buf(), in.buf(), 0, t.left(), 0);
                Check.same(count, s.count(), "count in a longer buffer of " + type);
                in.expect(
                        i -> i < count ? Plain.value(type, 7, t.left(), i) : Plain.value(type, 8, t.rank(), i),
                        "longer buffer");
            }
        }
    }

    @Contract(minRanks = 2)
    public static void anySourceAnyTag(Trial t) {
        Comm world = t.world();
        if (t.rank() != 0) {
            world.send(buf(new long[] {100L * t.rank()}), 0, 40 + t.rank());
            return;
        }
        boolean[] seen = new boolean[t.size()];
        for (int i = 1; i < t.size(); i++) {
            long[] in = new long[1];
            Status s = world.recv(buf(in));
            Check.that(!seen[s.source()], "rank " + s.source() + " was received from twice");
            seen[s.source()] = true;
            Check.same(40 + s.source(), s.tag(), "tag of a message from ANY_SOURCE");
            Check.same(100L * s.source(), in[0], "value of a message from ANY_SOURCE");
        }
    }

    @Contract(minRanks = 2)
    public static void anySourceTagByTag(Trial t) {
        Comm world = t.world();
        if (t.rank() != 0) {
            world.send(buf(new int[] {t.rank()}), 0, 1);
            world.send(buf(new int[] {-t.rank()}), 0, 2);
            return;
        }
        int[] in = new int[1];
        for (int tag = 2; tag >= 1; tag--) {
            int sum = 0;
            for (int i = 1; i < t.size(); i++) {
                Status s = world.recv(buf(in), Comm.ANY_SOURCE, tag);
                Check.same(tag == 1 ? s.source() : -s.source(), in[0], "message with tag " + tag);
                sum += in[0];
            }
            Check.same((tag == 1 ? 1 : -1) * t.size() * (t.size() - 1) / 2, sum, "all messages with tag " + tag);
        }
    }

    @Contract
    public static void procNullAsPartner(Trial t) {
        Comm world = t.world();
        int[] in = {17};
        world.send(buf(in), Comm.PROC_NULL, 3);
        world.sendObject("x", Comm.PROC_NULL);
        checkProcNull(world.recv(buf(in), Comm.PROC_NULL, 3));
        checkProcNull(world.sendrecv(buf(in), Comm.PROC_NULL, buf(in), Comm.PROC_NULL));
        checkProcNull(world.irecv(buf(in), Comm.PROC_NULL).await());
        world.isend(buf(in), Comm.PROC_NULL).await();
        checkProcNull(world.probe(Comm.PROC_NULL, 3));
        Status s = world.iprobe(Comm.PROC_NULL, 3);
        Check.that(s != null, "iprobe(PROC_NULL) returns null");
        if (s != null) checkProcNull(s);
        Check.same(17, in[0], "the buffer of a receive from PROC_NULL");
    }

    private static void checkProcNull(Status s) {
        Check.same(Comm.PROC_NULL, s.source(), "source of a receive from PROC_NULL");
        Check.same(Comm.ANY_TAG, s.tag(), "tag of a receive from PROC_NULL");
        Check.same(0, s.count(), "count of a receive from PROC_NULL");
    }

    /// Sends from and receives into the same buffer, of every kind of memory and length.
    @Contract(slow = true)
    public static void sendrecvReplaceOverwritesTheBuffer(Trial t) {
        for (Row row : Row.of(t)) {
            Box box = row.sendBox(t);
            Status s = t.world().sendrecvReplace(box.buf(), t.right(), 2, t.left(), 2);
            box.expect(i -> row.value(t.left(), i), row + " from rank " + t.left());
            Check.same(row.count(), s.count(), "count of " + row);
            Check.same(t.left(), s.source(), "source of " + row);
        }
    }

    @Contract
    public static void sendrecvReplaceWithAShorterMessage(Trial t) {
        int[] data = {t.rank(), 7, 8};
        Request send = t.world().isend(buf(new int[] {100 + t.rank()}), t.right(), 1);
        Status s = t.world().sendrecvReplace(buf(data), t.right(), 2, t.left(), 1);
        Check.same(1, s.count(), "count");
        Check.that(data[0] == 100 + t.left() && data[1] == 7 && data[2] == 8, "the rest of the buffer has changed");
        t.world().sendrecvReplace(buf(data), Comm.PROC_NULL, 0, t.left(), 2);
        Check.same(t.left(), data[0], "value");
        send.await();
    }

    /// Ranks form a line, with `PROC_NULL` beyond the first and the last.
    @Contract
    public static void shiftAlongALine(Trial t) {
        int right = t.rank() == t.size() - 1 ? Comm.PROC_NULL : t.right();
        int left = t.rank() == 0 ? Comm.PROC_NULL : t.left();
        int[] in = {-1};
        Status s = t.world().sendrecv(buf(new int[] {t.rank()}), right, buf(in), left);
        Check.same(left, s.source(), "source in a line");
        Check.same(t.rank() - 1, in[0], "value from the left");
    }

    @Contract(minRanks = 2)
    public static void tagsFromZeroToTheUpperBound(Trial t) {
        int bound = t.world().tagUpperBound();
        for (int tag : new int[] {0, 1, 32767, bound - 1, bound}) {
            int[] in = new int[1];
            Status s = round(t, buf(new int[] {tag}), buf(in), tag, t.left(), tag);
            Check.same(tag, s.tag(), "tag");
            Check.same(tag, in[0], "value with tag " + tag);
        }
    }

    @Contract(minRanks = 2)
    public static void emptyMessagesMatch(Trial t) {
        Status s = round(t, buf(new double[0]), buf(new double[0]), 9, Comm.ANY_SOURCE, Comm.ANY_TAG);
        Check.same(t.left(), s.source(), "source of an empty message");
        Check.same(9, s.tag(), "tag of an empty message");
        Check.same(0, s.count(), "count of an empty message");
        s = round(t, Buf.NONE, Buf.NONE, 10, t.left(), 10);
        Check.same(0, s.count(), "count of NONE");
        s = round(t, buf(new byte[0]), buf(new double[3]), 11, t.left(), 11);
        Check.same(0, s.count(), "count of an empty message of a different type");
    }

    /// A blocking send to the same rank completes only if the engine buffers short messages. The standard does
    /// not guarantee this, and MPICH waits.
    @Contract(engine = "shm")
    public static void shortMessageToTheSameRank(Trial t) {
        t.world().send(buf(new int[] {t.rank(), 5}), t.rank(), 2);
        int[] in = new int[2];
        Status s = t.world().recv(buf(in), Comm.ANY_SOURCE, Comm.ANY_TAG);
        Check.same(t.rank(), s.source(), "source of a message to the same rank");
        Check.same(t.rank(), in[0], "value");
        Check.same(5, in[1], "value");
        t.mpi().self().send(buf(new int[] {1, 2}), 0, 2);
        s = t.mpi().self().recv(buf(in));
        Check.same(0, s.source(), "source in self");
        Check.same(2, in[1], "value in self");
    }

    /// Tests every length around typical limits of engines, where messages change from eager to rendezvous.
    @Contract(minRanks = 2, maxRanks = 2)
    public static void everyLengthAroundPowersOfTwo(Trial t) {
        byte[] out = new byte[(1 << 18) + 2];
        for (int i = 0; i < out.length; i++) out[i] = (byte) (i * 31 + (i >> 8));
        byte[] in = new byte[out.length];
        for (int power = 3; power <= 18; power++) {
            for (int around = -2; around <= 2; around++) {
                int length = (1 << power) + around;
                java.util.Arrays.fill(in, (byte) 0);
                Status s = round(t, buf(out, 0, length), buf(in, 0, length), 0, t.left(), 0);
                Check.same(length, s.count(), "count");
                int wrong = java.util.Arrays.mismatch(in, 0, length, out, 0, length);
                Check.that(wrong < 0, "a message of " + length + " bytes is wrong from byte " + wrong + " on");
            }
        }
    }

    /// The message has 2 GiB and 64 KiB, more than an `int` can count.
    @Contract(minRanks = 2, maxRanks = 2, engine = "shm", large = true)
    public static void moreThanTwoGibibytes(Trial t) {
        long bytes = (2L << 30) + (64 << 10);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = arena.allocate(bytes, 4096);
            if (t.rank() == 0) {
                for (long i = 0; i < bytes; i += 4096) data.set(ValueLayout.JAVA_LONG, i, i * 7 + 1);
                data.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 77);
                t.world().send(buf(data), 1);
            } else {
                Status s = t.world().recv(buf(data), 0);
                Check.same(bytes, s.count(), "count of a message of more than 2 GiB");
                for (long i = 0; i < bytes; i += 4096) {
                    Check.same(i * 7 + 1, data.get(ValueLayout.JAVA_LONG, i), "at byte " + i);
                }
                Check.same(77, data.get(ValueLayout.JAVA_BYTE, bytes - 1), "the last byte");
            }
            t.world().barrier();
        }
    }
}
