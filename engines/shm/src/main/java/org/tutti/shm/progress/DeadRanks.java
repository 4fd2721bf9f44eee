package org.tutti.shm.progress;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.Matcher;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;

/// Processes that have died while the job continued. Activities that wait for a dead process fail, including
/// activities that start later. All methods except [#isNotEmpty] are called under the progress lock.
public final class DeadRanks {
    private final Matcher matcher;
    private final SlotTable offers;
    private final Delivery delivery;
    private final JobFailure failure;
    private final List<RankDeath> all = new ArrayList<>();
    private volatile boolean isNotEmpty;

    DeadRanks(Matcher matcher, SlotTable offers, Delivery delivery, JobFailure failure) {
        this.matcher = matcher;
        this.offers = offers;
        this.delivery = delivery;
        this.failure = failure;
    }

    boolean isNotEmpty() {
        return isNotEmpty;
    }

    /// Adds a process. The ring from this process must have been drained. Fails the messages that wait for the
    /// process.
    RankDeath add(int process) {
        RankDeath death = new RankDeath(process, failure);
        all.add(death);
        isNotEmpty = true;
        offers.failAll(death::concerns, death);
        delivery.failFrom(death);
        matcher.forEach((_, context) -> context.withdraw(death::failsReceive, death::fail));
        return death;
    }

    /// Fails a posted receive if the sender has died.
    void posted(MatchContext context, ShmTransfer receive) {
        for (RankDeath death : all) {
            boolean never = receive.peer >= 0 && death.concerns(receive) || death.failsAllReceives(receive.port());
            if (never) context.withdraw(t -> t == receive, death::fail);
        }
    }

    /// Returns whether all messages in the context are refused, because a death fails all receives in it.
    boolean refusesMessages(MatchContext context) {
        CommPort port = context.port();
        if (!isNotEmpty || port == null) return false;
        for (RankDeath death : all) if (death.failsAllReceives(port)) return true;
        return false;
    }

    /// Returns the death of `process`, or null.
    @Nullable
    RankDeath of(int process) {
        for (RankDeath death : all) if (death.is(process)) return death;
        return null;
    }

    /// Returns the number of dead ranks of a communicator; 0 if the communicator does not survive the death of
    /// a rank.
    public int in(CommPort port) {
        if (!isNotEmpty || !port.outlivesRanks()) return 0;
        int count = 0;
        for (RankDeath death : all) if (death.isIn(port)) count++;
        return count;
    }

    /// Returns why a collective call cannot complete, or null.
    @Nullable
    Fault of(ShmCollective call) {
        if (!isNotEmpty || !call.port().outlivesRanks()) return null;
        for (RankDeath death : all) if (death.isIn(call.port())) return death.fault(call);
        return null;
    }

    /// Fails a call that cannot complete, and withdraws the receives of the call.
    void abandon(ShmCollective call) {
        Fault never = of(call);
        if (never == null) return;
        MatchContext context = call.context;
        if (context != null) context.withdraw(t -> t.call == call, _ -> {});
        call.abandon(never);
    }

    /// Returns whether messages in a context must not be compared with this rank's calls, because some calls
    /// were abandoned.
    boolean hasAbandoned(MatchContext context) {
        CommPort port = context.port();
        return port != null && in(port) > 0;
    }

    Matcher.Visitor exceptAbandoned(Matcher.Visitor visitor) {
        return (id, context) -> {
            if (!hasAbandoned(context)) visitor.visit(id, context);
        };
    }

    /// Returns whether the fault concerns only one activity.
    static boolean isOfMessage(Fault fault) {
        return fault.scope() == Fault.Scope.MESSAGE && fault.errorClass() == PredefinedErrorClass.ERR_PROC_FAILED;
    }
}
