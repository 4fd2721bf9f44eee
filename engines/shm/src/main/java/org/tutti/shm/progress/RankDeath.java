package org.tutti.shm.progress;

import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.Activity;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.Transfer;

/// The death of a process while the job continues, and the faults of the activities that it affects. If an
/// activity is on a communicator that survives the death of ranks, only the activity fails. If the death
/// affects an activity on any other communicator, the job fails.
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

    /// Returns whether the dead process is a rank of `port`.
    boolean isIn(CommPort port) {
        for (int r = 0; r < port.size(); r++) if (port.process(r) == process) return true;
        return false;
    }

    private boolean is(CommPort port, int rank) {
        return rank >= 0 && rank < port.size() && port.process(rank) == process;
    }

    /// Returns whether the message is to the process, from the process, or, on a communicator that contains the
    /// process and survives the death of ranks, from any source.
    boolean concerns(ShmTransfer t) {
        CommPort port = t.port();
        return t.peer == Transfer.ANY_SOURCE ? port.outlivesRanks() && isIn(port) : is(port, t.peer);
    }

    /// Returns whether the death fails a receive for which no message has arrived.
    boolean failsReceive(ShmTransfer receive) {
        return concerns(receive) || failsAllReceives(receive.port());
    }

    /// Returns whether the death fails all receives on `port`, regardless of the sender.
    boolean failsAllReceives(CommPort port) {
        return port.outlivesRanks() && port.failsTogether() && isIn(port);
    }

    /// Returns whether the process is the sender of the message being received.
    boolean sends(ShmTransfer receive) {
        return is(receive.port(), receive.source);
    }

    void fail(ShmTransfer t) {
        if (!t.isDone()) t.fail(fault(t));
    }

    /// Returns the fault of a message that the receiver refused because of a death.
    static Fault refusal(ShmTransfer send) {
        CommPort port = send.port();
        String detail =
                port.describeRank(send.peer) + " has stopped receiving on this communicator because a rank has died";
        return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, send.operation, detail, port);
    }

    /// Returns the fault of an affected activity.
    Fault fault(Activity activity) {
        CommPort port = activity.port();
        int rank = 0;
        while (rank < port.size() && !is(port, rank)) rank++;
        String detail = port.describeRank(rank) + " has died";
        if (port.outlivesRanks()) {
            return Fault.message(PredefinedErrorClass.ERR_PROC_FAILED, activity.operation, detail, port);
        }
        Fault fatal = Fault.job(PredefinedErrorClass.ERR_PROC_FAILED, activity.operation, detail, port);
        failure.report(fatal);
        return fatal;
    }
}
