package org.tutti.shm.progress;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OrderedOp;
import org.tutti.mpi.PredefinedOp;
import org.tutti.mpi.spi.Collective;
import org.tutti.mpi.spi.Collective.Form;
import org.tutti.mpi.spi.Collective.Kind;
import org.tutti.mpi.spi.CommPort;
import org.tutti.mpi.spi.Transfer;
import org.tutti.shm.board.Board;
import org.tutti.shm.match.Arrival;
import org.tutti.shm.match.MatchContext;
import org.tutti.shm.match.ShmTransfer;

/// What must be equal on all ranks of a collective call, in three words that travel with each of its
/// messages.
///
///     a   kind | form << 6 | operation << 8 | type code << 16 | flags << 24 | root << 32
///     b   bytes of the whole, of an alltoall of each block, where the standard wants them equal, else 0
///     c   hash of the operation's name and of a reduce-scatter's blocks, or of what a bcast's elements consist of,
///         sequence number << 32
///
/// `operation` is 0 for none, else ordinal + 1, with 128 more in rank order, or 255 for a user's. `flags`
/// of an alltoall: 1 with blocks, 2 in place; of any call between two groups 4. The type code is 0 where
/// types need only be equal between the two ranks of a message: there the message's own is looked at.
/// Between two groups less must be equal: an alltoall has lengths for each direction, a reduce-scatter
/// blocks for each group.
final class CallWords {
    private static final PredefinedOp[] PREDEFINED = PredefinedOp.values();
    private static final Form[] FORMS = Form.values();
    private static final int CUSTOM = 255, IN_RANK_ORDER = 128;

    /// There is room for 64 kinds and 4 forms.
    private static final int FORM_SHIFT = 6;

    private static final int BLOCKS = 1, IN_PLACE = 2, INTER = 4;

    private CallWords() {}

    static long a(Collective c) {
        long op = switch (c.op) {
            case null -> 0;
            case PredefinedOp p -> p.ordinal() + 1;
            case OrderedOp(PredefinedOp p) -> p.ordinal() + 1 + IN_RANK_ORDER;
            case Op other -> CUSTOM;
        };
        boolean alltoall = c.kind == Kind.ALLTOALL || c.kind == Kind.ALLTOALLW;
        long flags = alltoall ? (c.blocks == null ? 0 : BLOCKS) | (c.inPlace ? IN_PLACE : 0) : 0;
        if (c.inter) flags = INTER;
        int type = c.typedByMessage() ? 0 : c.type.code();
        return c.kind.ordinal()
                | (long) c.form.ordinal() << FORM_SHIFT
                | op << 8
                | (long) type << 16
                | flags << 24
                | (long) c.root << 32;
    }

    static long b(Collective c) {
        return switch (c.kind) {
            case BCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> c.count * c.type.size();
            case ALLTOALL -> c.blocks == null && !c.inter ? c.recvCount * c.recvType.size() : 0;
            case ALLGATHER -> c.inter ? 0 : allBlocks(c);
            case BARRIER, GATHER, SCATTER, ALLTOALLW, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW -> 0;
        };
    }

    private static long allBlocks(Collective c) {
        int size = c.port().size();
        if (c.blocks == null) return size * c.blockBytes(0);
        long sum = 0;
        for (int r = 0; r < size; r++) sum += c.blockBytes(r);
        return sum;
    }

    static long c(Collective c) {
        Op op = c.op;
        int hash = op == null ? 31 * c.signature : op.name().hashCode();
        if (c.kind == Kind.REDUCE_SCATTER && !c.inter) {
            for (int r = 0; r < c.port().size(); r++) hash = 31 * hash + Long.hashCode(c.blockBytes(r));
        }
        return hash & 0xffffffffL | c.sequence << 32;
    }

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
            detail += otherwise(mine.wordA);
        }
        return MpiException.job(ErrorClass.ERR_MISMATCH, mine.operation, detail, port);
    }

    /// What is wrong where rank `rank` has posted call `number` of the board otherwise than this rank.
    static MpiException contradiction(CommPort port, Board board, int rank, long number) {
        int me = port.rank();
        long a = board.word(me, number, 0);
        long b = board.word(me, number, 1);
        int mine = number(board.word(me, number, 2));
        long otherA = board.word(rank, number, 0);
        long otherB = board.word(rank, number, 1);
        int other = number(board.word(rank, number, 2));
        String verb = board.isFinished(number) ? " has called " : " calls ";
        String detail = differ(port, mine, verb, a, b, port.who(rank), otherA, otherB);
        if (mine != other) detail += " as its call " + other;
        else if (a == otherA && b == otherB) detail += otherwise(a);
        return MpiException.job(ErrorClass.ERR_MISMATCH, word(a), detail, port);
    }

    private static String differ(
            CommPort port, int number, String verb, long a, long b, String other, long otherA, long otherB) {
        return "collective call " + number + " of " + port.name() + " does not match: " + port.who(port.rank()) + verb
                + describe(a, b, port) + " but " + other + " calls " + describe(otherA, otherB, port);
    }

    /// How two calls differ that say the same.
    private static String otherwise(long a) {
        boolean blocks = kind(a) == Kind.REDUCE_SCATTER;
        if (operation(a) == 0) return " with elements of other types or in another order";
        if (blocks && operation(a) != CUSTOM) return " with blocks of other lengths";
        return " with a user operation of another name" + (blocks ? " or blocks of other lengths" : "");
    }

    /// `4 INT`, `17 bytes`.
    private static String amount(long bytes, Datatype of) {
        Datatype type = of.wire();
        return type.bytes() == 1 ? bytes + " bytes" : bytes / type.bytes() + " " + type;
    }

    /// The number of the call that a message with this word belongs to.
    static int number(long c) {
        return (int) (c >>> 32);
    }

    /// Whether a message is of the very call that this rank has finished, and remembers, under that number.
    static boolean same(MatchContext context, Arrival arrival) {
        int number = number(arrival.callC);
        return context.word(number, 0) == arrival.callA
                && context.word(number, 1) == arrival.callB
                && context.word(number, 2) == arrival.callC;
    }

    /// What is wrong with a message for a call that this rank has finished without it.
    static MpiException leftOver(MatchContext context, Arrival arrival) {
        int number = number(arrival.callC);
        CommPort port = context.port();
        boolean known = context.remembers(number);
        String mine = known ? describe(context.word(number, 0), context.word(number, 1), port) : "another one";
        String detail = "collective call " + number + " of " + (port == null ? "?" : port.name())
                + " does not match: "
                + (port == null ? "rank ?" : port.who(port.rank())) + " has called " + mine + " but "
                + who(arrival.source, port) + " calls "
                + describe(arrival.callA, arrival.callB, port);
        String operation = word(known ? context.word(number, 0) : arrival.callA);
        return MpiException.job(ErrorClass.ERR_MISMATCH, operation, detail, port);
    }

    private static Kind kind(long a) {
        return Kind.of((int) a & (1 << FORM_SHIFT) - 1);
    }

    private static int operation(long a) {
        return (int) (a >>> 8) & 0xff;
    }

    /// As the user wrote it: `reduceScatter`, `ireduceScatter`, `reduceScatterInit`.
    private static String word(long a) {
        StringBuilder word = new StringBuilder();
        for (String part : kind(a).name().toLowerCase(Locale.ROOT).split("_")) {
            word.append(word.isEmpty() ? part : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return switch (FORMS[(int) (a >>> FORM_SHIFT) & 3]) {
            case BLOCKING -> word.toString();
            case NONBLOCKING -> "i" + word;
            case PERSISTENT -> word + "Init";
        };
    }

    /// What texts call a rank of `port`.
    static String who(int rank, @Nullable CommPort port) {
        return port == null ? "rank " + rank : port.who(rank);
    }

    /// The call with what must match: `bcast(4 INT, root=1)`. `port` is its communicator's, if it is known.
    static String describe(long a, long b, @Nullable CommPort port) {
        Kind kind = kind(a);
        int op = operation(a);
        int flags = (int) (a >>> 24) & 0xff;
        Datatype type = Datatype.ofCode((int) (a >>> 16) & 0xff);
        StringBuilder text = new StringBuilder(word(a)).append('(');
        String gap = "";
        boolean inter = (flags & INTER) != 0;
        if (kind != Kind.BARRIER && !kind.typedByMessage(inter)) {
            if (type == Datatype.PACKED) text.append("objects");
            else text.append(b != 0 ? b / type.bytes() + " " : "").append(type);
            gap = ", ";
        }
        if (kind == Kind.ALLTOALL && !inter) {
            if (b != 0) text.append(" for each rank");
            if ((flags & BLOCKS) != 0) text.append(" in blocks");
            if ((flags & IN_PLACE) != 0) text.append(", in place");
        }
        if (kind == Kind.ALLTOALLW && (flags & IN_PLACE) != 0) text.append("in place");
        if (op != 0) {
            text.append(gap).append(named(op));
        }
        if (kind.rooted()) text.append(gap).append("root=").append(root((int) (a >>> 32), inter, port));
        return text.append(')').toString();
    }

    private static String named(int op) {
        if (op == CUSTOM) return "a user operation";
        return op > IN_RANK_ORDER
                ? PREDEFINED[op - 1 - IN_RANK_ORDER].name() + " in rank order"
                : PREDEFINED[op - 1].name();
    }

    private static String root(int root, boolean inter, @Nullable CommPort port) {
        if (root == Transfer.PROC_NULL) return "PROC_NULL";
        return inter ? who(root, port) : String.valueOf(root);
    }
}
