package org.tutti.conformance.trial;

import static org.tutti.mpi.Buf.buf;

import java.util.ArrayList;
import java.util.List;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;

/// The operations that have the rank of a partner as an argument. The contracts pass wrong arguments, so no
/// call waits for a request.
///
/// @param operation the name of the operation in error texts
public record MessageCall(String operation, Side side, Action action) {
    /// The argument under test.
    public enum Side {
        SENDS_DATA,
        RECEIVES_DATA,
        SENDS_OBJECT,
        RECEIVES_OBJECT,
        PROBES;

        public boolean sends() {
            return this == SENDS_DATA || this == SENDS_OBJECT;
        }

        public boolean hasBuffer() {
            return this == SENDS_DATA || this == RECEIVES_DATA;
        }
    }

    /// The call. Operations that send and receive use this rank as the second partner.
    @FunctionalInterface
    public interface Action {
        void call(Comm comm, Buf buf, int peer, int tag);
    }

    public static List<MessageCall> all() {
        List<MessageCall> all = new ArrayList<>();
        for (Sending way : Sending.values()) add(all, way.operation(), Side.SENDS_DATA, way::begin);
        Buf x = buf(new int[1]);
        add(all, "sendrecv", Side.SENDS_DATA, (c, b, r, t) -> c.sendrecv(b, r, t, x, Comm.PROC_NULL, 0));
        add(all, "sendrecvReplace", Side.SENDS_DATA, (c, b, r, t) -> c.sendrecvReplace(b, r, t, Comm.PROC_NULL, 0));
        add(all, "isendrecv", Side.SENDS_DATA, (c, b, r, t) -> c.isendrecv(b, r, t, x, Comm.PROC_NULL, 0));
        add(all, "isendrecvReplace", Side.SENDS_DATA, (c, b, r, t) -> c.isendrecvReplace(b, r, t, Comm.PROC_NULL, 0));
        add(all, "psendInit", Side.SENDS_DATA, (c, b, r, t) -> c.psendInit(b, 1, r, t));
        add(all, "sendObject", Side.SENDS_OBJECT, (c, b, r, t) -> c.sendObject("x", r, t));
        add(all, "ssendObject", Side.SENDS_OBJECT, (c, b, r, t) -> c.ssendObject("x", r, t));
        add(all, "bsendObject", Side.SENDS_OBJECT, (c, b, r, t) -> c.bsendObject("x", r, t));
        add(all, "isendObject", Side.SENDS_OBJECT, (c, b, r, t) -> c.isendObject("x", r, t));
        add(all, "issendObject", Side.SENDS_OBJECT, (c, b, r, t) -> c.issendObject("x", r, t));
        add(
                all,
                "sendrecvObject",
                Side.SENDS_OBJECT,
                (c, b, r, t) -> c.sendrecvObject("x", r, t, String.class, Comm.PROC_NULL, 0));
        add(all, "recv", Side.RECEIVES_DATA, (c, b, r, t) -> c.recv(b, r, t));
        add(all, "irecv", Side.RECEIVES_DATA, (c, b, r, t) -> c.irecv(b, r, t));
        add(all, "recvInit", Side.RECEIVES_DATA, (c, b, r, t) -> c.recvInit(b, r, t));
        add(all, "sendrecv", Side.RECEIVES_DATA, (c, b, r, t) -> c.sendrecv(x, Comm.PROC_NULL, 0, b, r, t));
        add(all, "sendrecvReplace", Side.RECEIVES_DATA, (c, b, r, t) -> c.sendrecvReplace(b, Comm.PROC_NULL, 0, r, t));
        add(all, "isendrecv", Side.RECEIVES_DATA, (c, b, r, t) -> c.isendrecv(x, Comm.PROC_NULL, 0, b, r, t));
        add(
                all,
                "isendrecvReplace",
                Side.RECEIVES_DATA,
                (c, b, r, t) -> c.isendrecvReplace(b, Comm.PROC_NULL, 0, r, t));
        add(all, "precvInit", Side.RECEIVES_DATA, (c, b, r, t) -> c.precvInit(b, 1, r, t));
        add(all, "recvObject", Side.RECEIVES_OBJECT, (c, b, r, t) -> c.recvObject(String.class, r, t));
        add(all, "irecvObject", Side.RECEIVES_OBJECT, (c, b, r, t) -> c.irecvObject(String.class, r, t));
        add(
                all,
                "sendrecvObject",
                Side.RECEIVES_OBJECT,
                (c, b, r, t) -> c.sendrecvObject("x", Comm.PROC_NULL, 0, String.class, r, t));
        add(all, "probe", Side.PROBES, (c, b, r, t) -> c.probe(r, t));
        add(all, "iprobe", Side.PROBES, (c, b, r, t) -> c.iprobe(r, t));
        add(all, "mprobe", Side.PROBES, (c, b, r, t) -> c.mprobe(r, t));
        add(all, "improbe", Side.PROBES, (c, b, r, t) -> c.improbe(r, t));
        return all;
    }

    private static void add(List<MessageCall> all, String operation, Side side, Action action) {
        all.add(new MessageCall(operation, side, action));
    }

    public void call(Comm comm, Buf buf, int peer, int tag) {
        action.call(comm, buf, peer, tag);
    }
}
