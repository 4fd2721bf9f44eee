package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.ShmTransfer;
import org.tutti.shm.slots.CollectiveSlots;
import org.tutti.spi.CallSignature;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.CommPort;
import org.tutti.spi.Fault;
import org.tutti.spi.PredefinedErrorClass;
import org.tutti.spi.type.ElementType;

/// Faults for ranks that make different collective calls. The calls are compared by the signatures
/// ([CallSignature]) in the messages.
final class Mismatches {
    private Mismatches() {}

    /// Compares a receive of this rank's collective call with the matched message. Returns null if the two
    /// agree.
    static @Nullable Fault mismatch(ShmTransfer receive, Arrival arrival) {
        if (!(receive.call instanceof ShmCollective mine)) {
            throw new IllegalStateException("receive in the collective context without a call");
        }
        boolean same = arrival.hasCall
                && mine.wordA == arrival.callA
                && mine.wordB == arrival.callB
                && mine.wordC == arrival.callC;
        boolean sameType = !mine.typedByMessage() || arrival.length == 0 || arrival.isOf(receive.type);
        if (same && sameType && arrival.length == receive.lengthBytes) return null;
        return mismatch(mine, arrival, receive.lengthBytes, receive.type);
    }

    /// Compares this rank's call with a message for this call that no receive has matched so far. Returns null
    /// if the two agree.
    static @Nullable Fault mismatch(ShmCollective mine, Arrival arrival) {
        boolean same = mine.wordA == arrival.callA && mine.wordB == arrival.callB && mine.wordC == arrival.callC;
        return same ? null : mismatch(mine, arrival, arrival.length, ElementType.BYTE);
    }

    private static Fault mismatch(ShmCollective mine, Arrival arrival, long expectedBytes, ElementType expectedType) {
        boolean same = arrival.hasCall
                && mine.wordA == arrival.callA
                && mine.wordB == arrival.callB
                && mine.wordC == arrival.callC;
        CommPort port = mine.port();
        String me = port.describeRank(port.rank());
        String other = port.describeRank(arrival.source);
        CallSignature.Call called = new CallSignature.Call(mine.wordA, mine.wordB, (int) mine.sequence);
        CallSignature.Call theirs = new CallSignature.Call(arrival.callA, arrival.callB, called.number());
        String detail;
        if (same) {
            ElementType sent = mine.typedByMessage() ? ElementType.ofCode(arrival.typeCode) : expectedType;
            boolean hasEqualBlocks = (mine.kind == Kind.GATHER || mine.kind == Kind.SCATTER)
                    && mine.send.blocks == null
                    && mine.recv.blocks == null;
            detail = "collective call " + called.number() + " of " + port.name() + " does not match: in "
                    + CallSignature.describe(called.a(), called.b(), port) + ", " + other + " sends "
                    + amount(arrival.length, sent) + " where " + me + " expects " + amount(expectedBytes, expectedType)
                    + (hasEqualBlocks ? "; the root passes blocks(…) for blocks of different size" : "");
        } else {
            detail =
                    CallSignature.differ(port, " calls ", called, other, theirs) + CallSignature.unseen(called, theirs);
        }
        return Fault.job(PredefinedErrorClass.ERR_MISMATCH, mine.operation, detail, port);
    }

    /// Returns the fault for the difference between call `number` of rank `rank` and call `number` of this
    /// rank.
    static Fault contradiction(CommPort port, CollectiveSlots slots, int rank, long number) {
        int me = port.rank();
        CallSignature.Call mine = call(slots, me, number), theirs = call(slots, rank, number);
        String verb = slots.isFinished(number) ? " has called " : " calls ";
        String detail = CallSignature.differ(port, verb, mine, port.describeRank(rank), theirs)
                + CallSignature.unseen(mine, theirs);
        return Fault.job(PredefinedErrorClass.ERR_MISMATCH, CallSignature.word(mine.a()), detail, port);
    }

    private static CallSignature.Call call(CollectiveSlots slots, int rank, long number) {
        return new CallSignature.Call(
                slots.word(rank, number, 0),
                slots.word(rank, number, 1),
                CallSignature.number(slots.word(rank, number, 2)));
    }

    /// Formats an amount: `4 INT`, `17 bytes`.
    private static String amount(long bytes, ElementType of) {
        ElementType type = of.basic();
        return type.bytes() == 1 ? bytes + " bytes" : bytes / type.bytes() + " " + type;
    }

    /// Returns whether a message belongs to the finished call of this rank that has the same number: whether
    /// the two signatures are equal. The signature of the finished call must be stored.
    static boolean same(MatchContext context, Arrival arrival) {
        int number = CallSignature.number(arrival.callC);
        return context.word(number, 0) == arrival.callA
                && context.word(number, 1) == arrival.callB
                && context.word(number, 2) == arrival.callC;
    }

    /// Returns the fault for a message of a call that this rank has finished without receiving this message.
    static Fault leftOver(MatchContext context, Arrival arrival) {
        int number = CallSignature.number(arrival.callC);
        CommPort port = context.port();
        boolean known = context.remembers(number);
        String mine =
                known ? CallSignature.describe(context.word(number, 0), context.word(number, 1), port) : "another one";
        String detail = "collective call " + number + " of " + (port == null ? "?" : port.name())
                + " does not match: "
                + (port == null ? "rank ?" : port.describeRank(port.rank())) + " has called " + mine + " but "
                + CallSignature.describeRank(arrival.source, port) + " calls "
                + CallSignature.describe(arrival.callA, arrival.callB, port)
                + (known ? CallSignature.rule(context.word(number, 0), arrival.callA) : "");
        String operation = CallSignature.word(known ? context.word(number, 0) : arrival.callA);
        return Fault.job(PredefinedErrorClass.ERR_MISMATCH, operation, detail, port);
    }
}
