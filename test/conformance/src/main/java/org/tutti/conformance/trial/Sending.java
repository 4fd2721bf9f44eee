package org.tutti.conformance.trial;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Communicator;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// The twelve ways to send: four modes, each blocking, nonblocking and persistent.
public enum Sending {
    SEND,
    SSEND,
    BSEND,
    RSEND,
    ISEND,
    ISSEND,
    IBSEND,
    IRSEND,
    SEND_INIT,
    SSEND_INIT,
    BSEND_INIT,
    RSEND_INIT;

    private static final Sending[] ALL = values();

    /// Returns the way with index `number`, modulo the number of ways.
    public static Sending of(int number) {
        return ALL[Math.floorMod(number, ALL.length)];
    }

    /// Sends; returns the request to await, or null if the send is complete.
    public @Nullable Request begin(Communicator comm, Buf buf, int dest, int tag) {
        return switch (this) {
            case SEND -> {
                comm.send(buf, dest, tag);
                yield null;
            }
            case SSEND -> {
                comm.ssend(buf, dest, tag);
                yield null;
            }
            case BSEND -> {
                comm.bsend(buf, dest, tag);
                yield null;
            }
            case RSEND -> {
                comm.rsend(buf, dest, tag);
                yield null;
            }
            case ISEND -> comm.isend(buf, dest, tag);
            case ISSEND -> comm.issend(buf, dest, tag);
            case IBSEND -> comm.ibsend(buf, dest, tag);
            case IRSEND -> comm.irsend(buf, dest, tag);
            case SEND_INIT -> started(comm.sendInit(buf, dest, tag));
            case SSEND_INIT -> started(comm.ssendInit(buf, dest, tag));
            case BSEND_INIT -> started(comm.bsendInit(buf, dest, tag));
            case RSEND_INIT -> started(comm.rsendInit(buf, dest, tag));
        };
    }

    private static Request started(PersistentRequest request) {
        request.start();
        return request;
    }

    /// Returns the name of the operation in error texts.
    public String operation() {
        return switch (this) {
            case SEND -> "send";
            case SSEND -> "ssend";
            case BSEND -> "bsend";
            case RSEND -> "rsend";
            case ISEND -> "isend";
            case ISSEND -> "issend";
            case IBSEND -> "ibsend";
            case IRSEND -> "irsend";
            case SEND_INIT -> "sendInit";
            case SSEND_INIT -> "ssendInit";
            case BSEND_INIT -> "bsendInit";
            case RSEND_INIT -> "rsendInit";
        };
    }
}
