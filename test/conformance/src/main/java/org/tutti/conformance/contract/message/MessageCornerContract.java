package org.tutti.conformance.contract.message;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Message;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;
import org.tutti.mpi.Status;

/// Corner cases of messages that test suites of MPI check. MPI 4.1, sections 3.2 to 3.11.
public final class MessageCornerContract {
    private MessageCornerContract() {}

    private interface SendCall {
        Request start(Buf data, int dest);
    }

    private static Map<String, SendCall> nonblocking(Comm comm) {
        Map<String, SendCall> all = new LinkedHashMap<>();
        all.put("isend", comm::isend);
        all.put("issend", comm::issend);
        all.put("ibsend", comm::ibsend);
        all.put("irsend", comm::irsend);
        return all;
    }

    private static Map<String, SendCall> persistent(Comm comm, int tag) {
        Map<String, SendCall> all = new LinkedHashMap<>();
        all.put("sendInit", (data, dest) -> comm.sendInit(data, dest, tag));
        all.put("ssendInit", (data, dest) -> comm.ssendInit(data, dest, tag));
        all.put("bsendInit", (data, dest) -> comm.bsendInit(data, dest, tag));
        all.put("rsendInit", (data, dest) -> comm.rsendInit(data, dest, tag));
        return all;
    }

    private static void isEmpty(Status s, String label) {
        Check.same(Comm.PROC_NULL, s.source(), label + ": source");
        Check.same(Comm.ANY_TAG, s.tag(), label + ": tag");
        Check.same(0, s.sizeBytes(), label + ": length");
        Check.same(0, s.elements(Datatype.DOUBLE), label + ": elements of a different type");
    }

    /// A send to `PROC_NULL` completes immediately, and a receive from it returns an empty status, in every
    /// form.
    @Contract
    public static void everyCallWithProcNull(Trial t) {
        Comm world = t.world();
        int none = Comm.PROC_NULL;
        int[] in = {7};
        world.send(buf(in), none);
        world.ssend(buf(in), none);
        world.bsend(buf(in), none);
        world.rsend(buf(in), none);
        for (var sending : nonblocking(world).entrySet()) {
            Check.that(sending.getValue().start(buf(in), none).test(), sending.getKey() + " to PROC_NULL");
        }
        for (var sending : persistent(world, 3).entrySet()) {
            try (PersistentRequest r = (PersistentRequest) sending.getValue().start(buf(in), none)) {
                for (int round = 0; round < 2; round++) {
                    r.start();
                    Check.that(r.test(), sending.getKey() + " to PROC_NULL, round " + round);
                }
            }
        }
        isEmpty(world.recv(buf(in), none, 3), "recv");
        isEmpty(world.irecv(buf(in), none, 3).await(), "irecv");
        isEmpty(world.probe(none, 3), "probe");
        Status found = world.iprobe(none, 3);
        Check.that(found != null, "iprobe of PROC_NULL returns null");
        if (found != null) isEmpty(found, "iprobe");
        Message message = world.mprobe(none, 3);
        isEmpty(message.status(), "mprobe");
        isEmpty(message.recv(buf(in)), "recv of the message of mprobe");
        try (PersistentRequest r = world.recvInit(buf(in), none, 3)) {
            r.start();
            isEmpty(r.await(), "recvInit");
        }
        isEmpty(world.sendrecv(buf(in), none, 1, buf(in), none, 2), "sendrecv");
        isEmpty(world.sendrecvReplace(buf(in), none, 1, none, 2), "sendrecvReplace");
        isEmpty(world.isendrecv(buf(in), none, 1, buf(in), none, 2).await(), "isendrecv");
        Check.same(7, in[0], "the buffer of receives from PROC_NULL");
    }

    /// The default tag is 0 in every mode. A ready send requires a posted receive.
    @Contract
    public static void defaultTagIsZeroInEveryMode(Trial t) {
        Comm world = t.world();
        List<Map.Entry<String, SendCall>> ways =
                new ArrayList<>(nonblocking(world).entrySet());
        for (String blocking : List.of("send", "ssend", "bsend", "rsend")) {
            ways.add(Map.entry(blocking, (data, dest) -> {
                switch (blocking) {
                    case "send" -> world.send(data, dest);
                    case "ssend" -> world.ssend(data, dest);
                    case "bsend" -> world.bsend(data, dest);
                    default -> world.rsend(data, dest);
                }
                return world.irecv(buf(new int[0]), Comm.PROC_NULL);
            }));
        }
        for (var way : ways) {
            int[] in = new int[2];
            Request received = world.irecv(buf(in), t.left(), 0);
            world.barrier();
            Request sent = way.getValue().start(buf(new int[] {t.rank()}), t.right());
            Status s = received.await();
            sent.await();
            Check.same(t.left(), s.source(), way.getKey() + ": source");
            Check.same(0, s.tag(), way.getKey() + ": tag");
            Check.same(1, s.count(), way.getKey() + ": count");
            Check.same(t.left(), in[0], way.getKey() + ": data");
        }
    }

    /// Persistent sends of all modes send the current content of the buffer at each start, in the order of the
    /// starts.
    @Contract
    public static void persistentModesMatchInStartOrder(Trial t) {
        Comm world = t.world();
        int[] out = {0};
        List<PersistentRequest> sends = new ArrayList<>();
        for (SendCall way : persistent(world, 5).values()) {
            sends.add((PersistentRequest) way.start(buf(out), t.right()));
        }
        for (int round = 0; round < 3; round++) {
            int[] in = new int[sends.size()];
            List<Request> receives = new ArrayList<>();
            for (int i = 0; i < in.length; i++) receives.add(world.irecv(buf(in, i, 1), t.left(), 5));
            world.barrier();
            for (int i = in.length - 1; i >= 0; i--) {
                out[0] = 100 * t.rank() + 10 * round + i;
                sends.get(i).start();
                sends.get(i).await();
            }
            for (int i = 0; i < in.length; i++) {
                receives.get(i).await();
                Check.same(100 * t.left() + 10 * round + in.length - 1 - i, in[i], "message " + i);
            }
        }
        sends.forEach(PersistentRequest::close);
    }

    /// A probe returns a message, even an empty one, without receiving it, so a second probe returns it again.
    @Contract
    public static void probesOfAnEmptyMessage(Trial t) {
        Comm world = t.world();
        Request sent = world.isend(buf(new double[0]), t.right(), 9);
        for (int i = 0; i < 3; i++) {
            Status s = world.probe(Comm.ANY_SOURCE, Comm.ANY_TAG);
            Check.same(t.left(), s.source(), "source of probe " + i);
            Check.same(9, s.tag(), "tag of probe " + i);
            Check.same(0, s.count(Datatype.DOUBLE), "doubles of probe " + i);
            Check.same(0, s.count(Datatype.INT), "ints of probe " + i);
        }
        Status s = world.recv(buf(new double[3]), t.left(), 9);
        Check.same(0, s.count(), "count");
        Check.same(0, s.elements(Datatype.INT.contiguous(3)), "elements");
        sent.await();
        Check.that(world.iprobe(t.left(), 9) == null, "iprobe returns a received message");
    }

    /// A complete operation cannot be cancelled.
    @Contract
    public static void cancelAfterCompletion(Trial t) {
        int[] in = new int[1];
        Request received = t.world().irecv(buf(in), t.left(), 2);
        t.world().send(buf(new int[] {t.rank()}), t.right(), 2);
        received.await();
        received.cancel();
        Check.that(!received.await().isCancelled(), "a completed request was cancelled");
        Check.same(t.left(), in[0], "data");
        Check.same(t.left(), received.await().source(), "source after cancel");
    }
}
