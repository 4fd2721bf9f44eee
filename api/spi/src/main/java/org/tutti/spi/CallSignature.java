package org.tutti.spi;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.Collective.Form;
import org.tutti.spi.Collective.Kind;
import org.tutti.spi.reduce.OrderedReduction;
import org.tutti.spi.reduce.PredefinedReduction;
import org.tutti.spi.reduce.Reduction;
import org.tutti.spi.type.ElementType;

/// The properties of a collective call that must be equal on all ranks, in three 64-bit values. Each message of
/// the call contains all three.
///
///     a   kind | form << 6 | operation << 8 | type code << 16 | flags << 24 | root << 32
///     b   the number of bytes; of an alltoall the bytes of a block; 0 if the standard allows them to differ
///     c   hash of the operation's name and of a reduce-scatter's blocks, or of the element types of a bcast and
///         the blocks of an allgather; sequence number << 32
///
/// `operation` is 0 for none, otherwise ordinal + 1, plus 128 for rank order, or 255 for a function of the
/// program. `flags` of an alltoall or alltoallw: 1 with blocks, 2 in place; of any call between two groups: 4.
/// The type code is 0 where only the two ranks of a message must agree on the type; the message contains the
/// type. Fewer properties must be equal between two groups: an alltoall has lengths for each direction, a
/// reduce-scatter has blocks for each group.
public final class CallSignature {
    private static final PredefinedReduction[] PREDEFINED = PredefinedReduction.values();
    private static final Form[] FORMS = Form.values();
    private static final int CUSTOM = 255, IN_RANK_ORDER = 128;

    /// The number of bits of the kind, before the form: there can be 64 kinds and 4 forms.
    private static final int FORM_SHIFT = 6;

    private static final int BLOCKS = 1, IN_PLACE = 2, INTER = 4;

    /// The functions that exchange integers by a [LongExchange] and are matched by name. The position of the
    /// function in this list, counted from 1, is stored in the root field of the exchange's signature.
    private static final List<String> EXCHANGING =
            List.of(("dup idup split splitType allocate shared dynamic of open view size preallocate atomic sync"
                            + " barrierInit bcastInit gatherInit scatterInit allgatherInit alltoallInit alltoallwInit reduceInit"
                            + " allreduceInit reduceScatterBlockInit reduceScatterInit scanInit exscanInit neighborAllgatherInit"
                            + " neighborAlltoallInit neighborAlltoallwInit readAll readAtAll readOrdered writeAll writeAtAll"
                            + " writeOrdered ireadAll ireadAtAll iwriteAll iwriteAtAll readAllBegin readAtAllBegin"
                            + " readOrderedBegin writeAllBegin writeAtAllBegin writeOrderedBegin seekShared")
                    .split(" "));

    /// The rule for the root of a call between two groups.
    public static final String ROOT_OF_TWO_GROUPS =
            "the root passes ROOT, the other ranks of this group PROC_NULL, and the other group the rank of the root";

    private CallSignature() {}

    /// Returns the number that stands for this function in the root field; 0 if the function is not listed.
    static int placeOf(String operation) {
        return EXCHANGING.indexOf(operation) + 1;
    }

    /// Returns the name of the function that makes the call with this value a, if the call is an exchange of a
    /// function in [#EXCHANGING]; null for any other call.
    private static @Nullable String exchanging(long a) {
        int place = (int) (a >>> 32);
        return kind(a) == Kind.ALLGATHER && place > 0 ? EXCHANGING.get(place - 1) : null;
    }

    public static long a(Collective c) {
        long op = op(c.op);
        boolean alltoall = c.kind == Kind.ALLTOALL || c.kind == Kind.ALLTOALLW;
        long flags = alltoall ? (c.recv.blocks == null ? 0 : BLOCKS) | (c.inPlace ? IN_PLACE : 0) : 0;
        if (c.inter) flags = INTER;
        int type = c.typedByMessage() ? 0 : code(c.send.type);
        return c.kind.ordinal()
                | (long) c.form.ordinal() << FORM_SHIFT
                | op << 8
                | (long) type << 16
                | flags << 24
                | (long) c.root << 32;
    }

    /// Returns the code of the type, which is that of bytes for packed data, because packed data may be
    /// received as bytes.
    private static int code(ElementType type) {
        return type == ElementType.PACKED ? ElementType.BYTE.code() : type.code();
    }

    private static long op(@Nullable Reduction op) {
        if (op == null) return 0;
        if (op instanceof PredefinedReduction p) return p.ordinal() + 1L;
        if (op instanceof OrderedReduction(PredefinedReduction p)) return p.ordinal() + 1L + IN_RANK_ORDER;
        return CUSTOM;
    }

    public static long b(Collective c) {
        return switch (c.kind) {
            case BCAST, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, EXSCAN -> c.send.count * c.send.type.size();
            case ALLTOALL -> c.recv.blocks == null && !c.inter ? c.recv.count * c.recv.type.size() : 0;
            case ALLGATHER -> c.inter ? 0 : c.recv.bytes(c.port().size());
            case BARRIER, GATHER, SCATTER, ALLTOALLW, NEIGHBOR_ALLGATHER, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW -> 0;
        };
    }

    /// Returns value c.
    ///
    /// @param number the sequence number of the call on the communicator
    public static long c(Collective c, long number) {
        Reduction op = c.op;
        int hash = op == null ? 31 * c.signature : op.name().hashCode();
        if (c.kind == Kind.REDUCE_SCATTER && !c.inter) {
            for (int r = 0; r < c.port().size(); r++) hash = 31 * hash + Long.hashCode(c.recv.blockBytes(r));
        }
        if (c.kind == Kind.ALLGATHER && !c.inter) hash += Long.hashCode(blocks(c));
        return hash & 0xffffffffL | number << 32;
    }

    /// Returns a hash of the lengths of all blocks. A call with blocks of equal length has the same hash as a
    /// call with a count.
    private static long blocks(Collective c) {
        int size = c.port().size();
        if (c.recv.blocks == null) return (size + 1L) * size / 2 * c.recv.blockBytes(0);
        long sum = 0;
        for (int r = 0; r < size; r++) sum += (r + 1) * c.recv.blockBytes(r);
        return sum;
    }

    /// Returns the phrase that states how a call differs from a call with the same description.
    private static String otherwise(long a) {
        boolean blocks = kind(a) == Kind.REDUCE_SCATTER;
        String elements = " with elements of other types or in another order";
        if (operation(a) == 0) return elements + (kind(a) == Kind.ALLGATHER ? ", or blocks of other lengths" : "");
        if (blocks && operation(a) != CUSTOM) return " with blocks of other lengths";
        return " with a user operation of another name" + (blocks ? " or blocks of other lengths" : "");
    }

    /// Returns whether the call is between two groups.
    public static boolean isInter(long a) {
        return ((int) (a >>> 24) & 0xff) == INTER;
    }

    /// Returns the bits that are equal on all ranks of a call between two groups: kind and form. The other bits
    /// differ between the groups, or are undefined on ranks that do not take part.
    public static long ofBothGroups(long a) {
        return a & 0xff;
    }

    /// Returns the sequence number of the call whose value c is `c`.
    public static int number(long c) {
        return (int) (c >>> 32);
    }

    private static Kind kind(long a) {
        return Kind.of((int) a & (1 << FORM_SHIFT) - 1);
    }

    private static Form form(long a) {
        return FORMS[(int) (a >>> FORM_SHIFT) & 3];
    }

    private static int operation(long a) {
        return (int) (a >>> 8) & 0xff;
    }

    /// Returns the name of the call in the API, for example `reduceScatter`, `ireduceScatter` or
    /// `reduceScatterInit`.
    public static String word(long a) {
        String exchanging = exchanging(a);
        if (exchanging != null) return exchanging;
        StringBuilder word = new StringBuilder();
        for (String part : kind(a).name().toLowerCase(Locale.ROOT).split("_")) {
            word.append(word.isEmpty() ? part : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return switch (form(a)) {
            case BLOCKING -> word.toString();
            case NONBLOCKING -> "i" + word;
            case PERSISTENT -> word + "Init";
        };
    }

    /// Describes a rank of `port`; without a port, returns the rank's number: `rank 3`.
    public static String describeRank(int rank, @Nullable CommPort port) {
        return port == null ? "rank " + rank : port.describeRank(rank);
    }

    /// Describes the call by the properties that must match, for example `bcast(4 INT, root=1)`.
    ///
    /// @param port the call's communicator, if it is known
    public static String describe(long a, long b, @Nullable CommPort port) {
        if (exchanging(a) != null) return word(a) + "()";
        Kind kind = kind(a);
        int op = operation(a);
        int flags = (int) (a >>> 24) & 0xff;
        ElementType type = ElementType.ofCode((int) (a >>> 16) & 0xff);
        StringBuilder text = new StringBuilder(word(a)).append('(');
        String gap = "";
        boolean inter = (flags & INTER) != 0;
        if (kind != Kind.BARRIER && !kind.typedByMessage(inter)) {
            if (type == ElementType.OBJECT) text.append("objects");
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
        return inter ? describeRank(root, port) : String.valueOf(root);
    }

    /// A call as one rank has called it.
    ///
    /// @param number the sequence number on the communicator
    /// @param line the line of the call; empty if unknown
    public record Call(long a, long b, long number, String line) {
        public Call(long a, long b, long number) {
            this(a, b, number, "");
        }

        private String at() {
            return line.isEmpty() ? "" : " at " + line;
        }
    }

    /// Returns the description of the difference between the calls of two ranks, for example:
    ///
    ///     collective call 3 of WORLD does not match: rank 1 calls barrier() at A.java:9 but rank 0 calls
    ///     bcast(4 INT, root=0) at A.java:7
    ///
    /// @param verb the verb for this rank: ` calls `
    public static String differ(CommPort port, String verb, Call mine, String other, Call theirs) {
        return "collective call " + mine.number + " of " + port.name() + " does not match: "
                + port.describeRank(port.rank())
                + verb
                + describe(mine.a, mine.b, port) + mine.at() + " but " + other + " calls "
                + describe(theirs.a, theirs.b, port) + theirs.at();
    }

    /// Returns the difference between two calls that [#differ] does not show, and the violated [#rule]; often
    /// empty.
    public static String unseen(Call mine, Call theirs) {
        if (mine.number != theirs.number) return " as its call " + theirs.number;
        return (mine.a == theirs.a && mine.b == theirs.b ? otherwise(mine.a) : "") + rule(mine.a, theirs.a);
    }

    /// Returns the rule that two calls of the same kind violate, if users may not know the rule; otherwise an
    /// empty string.
    public static String rule(long a, long b) {
        if (exchanging(a) != null || exchanging(b) != null || kind(a) != kind(b)) return "";
        if (form(a) != form(b)) return "; blocking, nonblocking and persistent calls do not match each other";
        boolean isOfRoots = kind(a).rooted() && isInter(a) && isInter(b) && a >>> 32 != b >>> 32;
        return isOfRoots ? "; " + ROOT_OF_TWO_GROUPS : "";
    }
}
