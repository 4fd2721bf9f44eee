package org.tutti.shm.progress;

import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// That a process has died while the job goes on without it: whose activities that costs, and how they fail. On a
/// communicator that outlives its ranks only they do; on any other one the job has failed.
final class RankDeath {
    private final int process;
    private final JobFailure failure;

    RankDeath(int process, JobFailure failure) {
        this.process = process;
        this.failure = failure;
    }

    boolean is(int other) {
        return process == other;
    }

    /// Whether the process is a rank of `port`.
    boolean isIn(CommPort port) {
        for (int r = 0; r < port.size(); r++) if (port.process(r) == process) return true;
        return false;
    }

    private boolean is(CommPort port, int rank) {
        return rank >= 0 && rank < port.size() && port.process(rank) == process;
    }

    /// Whether a message to it or from it, or from anybody, is concerned.
    boolean concerns(ShmTransfer t) {
        CommPort port = t.port();
        return t.peer == Transfer.ANY_SOURCE ? port.outlivesRanks() && isIn(port) : is(port, t.peer);
    }

    /// Whether a receive without a message ends with it.
    boolean ends(ShmTransfer receive) {
        return concerns(receive) || endsAllOf(receive.port());
    }

    /// Whether all receives of `port` do, whoever is to send.
    boolean endsAllOf(CommPort port) {
        return port.outlivesRanks() && port.failsTogether() && isIn(port);
    }

    /// Whether it was the sender of a message that is being received.
    boolean sends(ShmTransfer receive) {
        return is(receive.port(), receive.source);
    }

    void fail(ShmTransfer t) {
        if (!t.isDone()) t.fail(fault(t));
    }

    /// Of a message that its receiver has refused, since it knows of a loss.
    static Fault refusal(ShmTransfer send) {
        CommPort port = send.port();
        String what = port.who(send.peer) + " receives nothing here any more, since another rank has died";
        return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, send.operation, what, port);
    }

    /// What the failure of an activity is.
    Fault fault(Activity activity) {
        CommPort port = activity.port();
        int rank = 0;
        while (rank < port.size() && !is(port, rank)) rank++;
        String what = port.who(rank) + " has died";
        if (port.outlivesRanks()) {
            return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, activity.operation, what, port);
        }
        Fault fatal = Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, activity.operation, what, port);
        failure.tell(fatal);
        return fatal;
    }
}
