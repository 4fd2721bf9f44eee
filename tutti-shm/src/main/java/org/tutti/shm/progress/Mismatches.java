package org.tutti.shm.progress;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.spi.CallWords;
import org.tutti.mpi.spi.CommPort;
import org.tutti.shm.board.Board;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.ShmTransfer;

/// What is wrong where two ranks make different collective calls, by the words ([CallWords]) that travel with
/// their messages.
final class Mismatches {
    private Mismatches() {}

    /// What is wrong between a receive of this rank's collective call and the message that matched it;
    /// null when nothing is.
    static @Nullable MpiException mismatch(ShmTransfer receive, Arrival arrival) {
        if (!(receive.call instanceof ShmCollective mine)) {
            throw new IllegalStateException("a receive in the collective context without its call");
        }
        boolean same = arrival.hasCall
                && mine.wordA == arrival.callA
                && mine.wordB == arrival.callB
                && mine.wordC == arrival.callC;
        boolean sameType = !mine.typedByMessage() || arrival.length == 0 || arrival.isOf(receive.type);
        if (same && sameType && arrival.length == receive.lengthBytes) return null;
        return mismatch(mine, arrival, receive.lengthBytes, receive.type);
    }

    /// The same for a message of this rank's call that no receive of it wanted, or not yet.
    static @Nullable MpiException mismatch(ShmCollective mine, Arrival arrival) {
        boolean same = mine.wordA == arrival.callA && mine.wordB == arrival.callB && mine.wordC == arrival.callC;
        return same ? null : mismatch(mine, arrival, arrival.length, Datatype.BYTE);
    }

    private static MpiException mismatch(
            ShmCollective mine, Arrival arrival, long expectedBytes, Datatype expectedType) {
        boolean same = arrival.hasCall
                && mine.wordA == arrival.callA
                && mine.wordB == arrival.callB
                && mine.wordC == arrival.callC;
        CommPort port = mine.port();
        String me = port.who(port.rank());
        String other = port.who(arrival.source);
        String detail = differ(
                port, (int) mine.sequence, " calls ", mine.wordA, mine.wordB, other, arrival.callA, arrival.callB);
        if (same) {
            boolean typed = mine.typedByMessage();
            Datatype sent = typed ? Datatype.ofCode(arrival.typeCode) : Datatype.BYTE;
            detail += "; " + other + " sends " + amount(arrival.length, sent) + " where " + me + " expects "
                    + (typed ? amount(expectedBytes, expectedType) : expectedBytes);
        } else if (mine.wordA == arrival.callA && mine.wordB == arrival.callB) {
            detail += CallWords.otherwise(mine.wordA);
        }
        return MpiException.job(ErrorClass.ERR_MISMATCH, mine.operation, detail, port);
    }

    /// What is wrong where rank `rank` has posted call `number` of the board otherwise than this rank.
    static MpiException contradiction(CommPort port, Board board, int rank, long number) {
        int me = port.rank();
        long a = board.word(me, number, 0);
        long b = board.word(me, number, 1);
        int mine = CallWords.number(board.word(me, number, 2));
        long otherA = board.word(rank, number, 0);
        long otherB = board.word(rank, number, 1);
        int other = CallWords.number(board.word(rank, number, 2));
        String verb = board.isFinished(number) ? " has called " : " calls ";
        String detail = differ(port, mine, verb, a, b, port.who(rank), otherA, otherB);
        if (mine != other) detail += " as its call " + other;
        else if (a == otherA && b == otherB) detail += CallWords.otherwise(a);
        return MpiException.job(ErrorClass.ERR_MISMATCH, CallWords.word(a), detail, port);
    }

    private static String differ(
            CommPort port, int number, String verb, long a, long b, String other, long otherA, long otherB) {
        return "collective call " + number + " of " + port.name() + " does not match: " + port.who(port.rank()) + verb
                + CallWords.describe(a, b, port) + " but " + other + " calls "
                + CallWords.describe(otherA, otherB, port);
    }

    /// `4 INT`, `17 bytes`.
    private static String amount(long bytes, Datatype of) {
        Datatype type = of.wire();
        return type.bytes() == 1 ? bytes + " bytes" : bytes / type.bytes() + " " + type;
    }

    /// Whether a message is of the very call that this rank has finished, and remembers, under that number.
    static boolean same(MatchContext context, Arrival arrival) {
        int number = CallWords.number(arrival.callC);
        return context.word(number, 0) == arrival.callA
                && context.word(number, 1) == arrival.callB
                && context.word(number, 2) == arrival.callC;
    }

    /// What is wrong with a message for a call that this rank has finished without it.
    static MpiException leftOver(MatchContext context, Arrival arrival) {
        int number = CallWords.number(arrival.callC);
        CommPort port = context.port();
        boolean known = context.remembers(number);
        String mine =
                known ? CallWords.describe(context.word(number, 0), context.word(number, 1), port) : "another one";
        String detail = "collective call " + number + " of " + (port == null ? "?" : port.name())
                + " does not match: "
                + (port == null ? "rank ?" : port.who(port.rank())) + " has called " + mine + " but "
                + CallWords.who(arrival.source, port) + " calls "
                + CallWords.describe(arrival.callA, arrival.callB, port);
        String operation = CallWords.word(known ? context.word(number, 0) : arrival.callA);
        return MpiException.job(ErrorClass.ERR_MISMATCH, operation, detail, port);
    }
}
