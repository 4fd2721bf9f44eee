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

/// The processes that have died while the job went on: what waited for them has failed, and what begins to wait for
/// them does. Under the progress lock, but for [#areSome].
public final class DeadRanks {
    private final Matcher matcher;
    private final SlotTable offers;
    private final Delivery delivery;
    private final JobFailure failure;
    private final List<RankDeath> all = new ArrayList<>();
    private volatile boolean areSome;

    DeadRanks(Matcher matcher, SlotTable offers, Delivery delivery, JobFailure failure) {
        this.matcher = matcher;
        this.offers = offers;
        this.delivery = delivery;
        this.failure = failure;
    }

    boolean areSome() {
        return areSome;
    }

    /// One more; nothing that it has sent is still in its ring. Fails the messages that wait for it.
    RankDeath add(int process) {
        RankDeath loss = new RankDeath(process, failure);
        all.add(loss);
        areSome = true;
        offers.lose(loss::concerns, loss);
        delivery.lose(loss);
        matcher.forEach((_, context) -> context.withdraw(loss::ends, loss::fail));
        return loss;
    }

    /// A receive was posted: it fails when its sender is none any more.
    void posted(MatchContext context, ShmTransfer receive) {
        for (RankDeath loss : all) {
            boolean never = receive.peer >= 0 && loss.concerns(receive) || loss.endsAllOf(receive.port());
            if (never) context.withdraw(t -> t == receive, loss::fail);
        }
    }

    /// Whether nothing is received in a context any more.
    boolean haveEnded(MatchContext context) {
        CommPort port = context.port();
        if (!areSome || port == null) return false;
        for (RankDeath loss : all) if (loss.endsAllOf(port)) return true;
        return false;
    }

    /// To the process that `box` is for.
    @Nullable
    RankDeath of(int process) {
        for (RankDeath loss : all) if (loss.is(process)) return loss;
        return null;
    }

    /// How many of a communicator's ranks have died; 0 for one that does not outlive them.
    public int in(CommPort port) {
        if (!areSome || !port.outlivesRanks()) return 0;
        int count = 0;
        for (RankDeath loss : all) if (loss.isIn(port)) count++;
        return count;
    }

    /// Why a collective call cannot come to its end; null when it may.
    @Nullable
    Fault of(ShmCollective call) {
        if (!areSome || !call.port().outlivesRanks()) return null;
        for (RankDeath loss : all) if (loss.isIn(call.port())) return loss.fault(call);
        return null;
    }

    /// Ends a call that cannot come to its end, and takes back what it would have received.
    void giveUp(ShmCollective call) {
        Fault never = of(call);
        if (never == null) return;
        MatchContext context = call.context;
        if (context != null) context.withdraw(t -> t.call == call, _ -> {});
        call.giveUp(never);
    }

    /// Whether messages in a context say nothing of this rank's calls, some of which were given up.
    boolean hasGivenUp(MatchContext context) {
        CommPort port = context.port();
        return port != null && in(port) > 0;
    }

    Matcher.Visitor besidesGivenUp(Matcher.Visitor visitor) {
        return (id, context) -> {
            if (!hasGivenUp(context)) visitor.visit(id, context);
        };
    }

    /// Whether only the activity fails with it.
    static boolean isOfMessage(Fault fault) {
        return fault.scope() == Fault.Scope.MESSAGE && fault.errorClass() == PredefinedErrorClass.ERR_PROC_FAILED;
    }
}
