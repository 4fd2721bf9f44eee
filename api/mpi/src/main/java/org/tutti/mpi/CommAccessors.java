package org.tutti.mpi;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.job.process.StackSnapshot;
import org.tutti.spi.CommPort;

/// Properties of a communicator: rank, size, name, group, attributes and hints. Duplicates of a communicator
/// get copies of the hints, and the values that the copiers of the keys return. MPI 4.1, sections 7.4.1, 7.7
/// and 7.8.
abstract sealed class CommAccessors extends CommHandle permits BlockingPointToPoint {
    private final Attributes attributes = new Attributes(this);
    private final Map<String, String> hints = new HashMap<>();

    /// Whether a close has started. Deleters of attributes run before [#closedAt] is set, and may call close
    /// again.
    private final AtomicBoolean closing = new AtomicBoolean();

    /// The group, which is created at the first use.
    private volatile @Nullable Group group;

    /// The number of communicators that have been created from this communicator so far. It is equal on all
    /// ranks.
    private int children;

    CommAccessors(Mpi mpi, CommPort port) {
        super(mpi, port);
    }

    @Override
    public int rank() {
        return port.localRank();
    }

    @Override
    public int size() {
        return port.localSize();
    }

    @Override
    public String name() {
        return port.name();
    }

    @Override
    public @Nullable MpiException failure() {
        EngineCalls engine = begin("failure");
        try {
            engine.move();
            return null;
        } catch (MpiException e) {
            return e;
        }
    }

    @Override
    public int tagUpperBound() {
        return mpi.engine("tagUpperBound").info().tagUpperBound();
    }

    @Override
    public Group group() {
        begin("group");
        return members();
    }

    final Group members() {
        Group g = group;
        if (g == null) {
            group = g = groupOf(port.localBase(), port.localSize());
        }
        return g;
    }

    /// Returns the group of `count` ranks of the [CommPort], starting at rank `first`.
    final Group groupOf(int first, int count) {
        int[] processes =
                IntStream.range(first, first + count).map(port::process).toArray();
        return Group.of(processes, port.process(port.rank()), mpi.realm);
    }

    @Override
    public boolean isInter() {
        return port.isInter();
    }

    @Override
    public Comparison compare(Communicator to) {
        CommAccessors other = (CommAccessors) Arguments.given("compare", "other", to);
        begin("compare");
        other.begin("compare");
        if (port == other.port) return Comparison.IDENT;
        if (isInter() != other.isInter()) return Comparison.UNEQUAL;
        Comparison local = members().compare(other.members());
        Comparison remote = peers().compare(other.peers());
        if (local == Comparison.UNEQUAL || remote == Comparison.UNEQUAL) return Comparison.UNEQUAL;
        return local == Comparison.IDENT && remote == Comparison.IDENT ? Comparison.CONGRUENT : Comparison.SIMILAR;
    }

    /// Returns the group of the ranks with which this rank exchanges messages.
    private Group peers() {
        return groupOf(port.peerBase(), port.peerSize());
    }

    final void checkColor(int color) {
        if (color >= 0 || color == UNDEFINED) return;
        throw MpiException.argument(
                ErrorClass.ERR_ARG, "split", "color=" + color + " is negative and not UNDEFINED", port);
    }

    /// Returns the ranks that the members of `group` have in this communicator.
    final int[] ranksOf(String operation, Group group) {
        Arguments.given(operation, "group", group, port);
        int[] all = IntStream.range(0, group.size()).toArray();
        int[] ranks = group.translateRanks(all, members());
        for (int rank : ranks) {
            if (rank >= 0) continue;
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    operation,
                    group + " has ranks that are not in " + name() + ": " + group.difference(members()),
                    port);
        }
        return ranks;
    }

    /// Returns the index of the caller's rank in `ranks`; -1 if it is not included.
    final int placeIn(int[] ranks) {
        for (int i = 0; i < ranks.length; i++) if (ranks[i] == port.localRank()) return i;
        return -1;
    }

    /// Returns the name of a new communicator, for example `WORLD.split1`. It is the same on every rank,
    /// because all ranks create communicators in the same order.
    final synchronized String childName(String operation) {
        return name() + "." + operation + ++children;
    }

    @Override
    public MpiException error(String operation, ErrorCode code, String detail) {
        Arguments.given("error", "operation", operation, port);
        Arguments.given("error", "code", code, port);
        Arguments.given("error", "detail", detail, port);
        return MpiException.user(code, operation, detail, port);
    }

    @Override
    public void setName(String name) {
        begin("setName");
        port.name(Arguments.given("setName", "name", name, port));
    }

    @Override
    public <T> @Nullable T attribute(AttributeKey<T> key) {
        begin("attribute");
        return attributes.get(key);
    }

    @Override
    public <T> void setAttribute(AttributeKey<T> key, T value) {
        begin("setAttribute");
        attributes.put(key, Arguments.given("setAttribute", "value", value, port));
    }

    @Override
    public <T> @Nullable T deleteAttribute(AttributeKey<T> key) {
        begin("deleteAttribute");
        return attributes.remove(key);
    }

    /// Deletes all attributes, before the communicator is closed.
    final void deleteAttributes() {
        attributes.clear();
    }

    /// Called by the constructor of each communicator that the program must close.
    final void created() {
        createdAt = new StackSnapshot();
        mpi.open.made(this);
    }

    final void closeHandle() {
        if (!closing.compareAndSet(false, true)) return;
        try {
            deleteAttributes();
        } finally {
            closedAt = new StackSnapshot();
            mpi.open.closed(this);
            buffers.close();
            // the engine does not know a communicator without ranks
            if (size() > 0) mpi.engine("close").free(port);
            mpi.released();
        }
    }

    final void disconnectHandle() {
        if (size() > 0) {
            begin("disconnect");
            barrier();
        }
        closeHandle();
    }

    @Override
    public Map<String, String> info() {
        begin("info");
        return hints();
    }

    final Map<String, String> hints() {
        synchronized (hints) {
            return Collections.unmodifiableMap(new HashMap<>(hints));
        }
    }

    @Override
    public void setInfo(Map<String, String> newHints) {
        begin("setInfo");
        Arguments.checkHints("setInfo", "newHints", newHints, port);
        synchronized (hints) {
            hints.putAll(newHints);
            if (size() > 0) {
                port.idle("true".equals(hints.get(Hints.IDLE)));
                port.outlivesRanks("true".equals(hints.get(Hints.OUTLIVES)));
                port.failsTogether("true".equals(hints.get(Hints.FAILS_TOGETHER)));
            }
        }
    }

    @Override
    public String toString() {
        return "Comm (" + port + ")";
    }

    /// Copies this communicator. `over` creates the copy for a different [CommPort] of the same ranks.
    final <C extends CommAccessors> C dup(Map<String, String> newHints, Function<CommPort, C> over) {
        EngineCalls engine = begin("dup");
        Arguments.checkHints("dup", "hints", newHints, port);
        Map<AttributeKey<?>, Object> copies = attributes.copies();
        return inherit(engine.dup(port), childName("dup"), copies, newHints, over);
    }

    final <C extends CommAccessors> CommRequest<C> idup(Map<String, String> newHints, Function<CommPort, C> over) {
        EngineCalls engine = begin("idup");
        Arguments.checkHints("idup", "hints", newHints, port);
        Map<AttributeKey<?>, Object> copies = attributes.copies();
        String name = childName("idup");
        Map<String, String> kept = Map.copyOf(newHints);
        return new CommRequest<>(mpi, engine.startDup(port), made -> inherit(made, name, copies, kept, over));
    }

    private static <C extends CommAccessors> C inherit(
            CommPort made,
            String name,
            Map<AttributeKey<?>, Object> copies,
            Map<String, String> hints,
            Function<CommPort, C> over) {
        made.name(name);
        C copy = over.apply(made);
        CommAccessors base = copy;
        base.attributes.take(copies);
        base.setInfo(hints);
        return copy;
    }
}
