package org.tutti.testkit.contract;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import java.util.Map;
import org.tutti.mpi.AttributeKey;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.OwnedComm;
import org.tutti.testkit.trial.Check;
import org.tutti.testkit.trial.Contract;
import org.tutti.testkit.trial.Trial;

/// What a communicator is called, what is kept at it, and how it compares. MPI 4.1, sections 7.4.1,
/// 7.4.4, 7.7, 7.8.
public final class CommContract {
    private static final AttributeKey<List<String>> WORDS = AttributeKey.of("words");
    private static final AttributeKey<List<String>> OTHER = AttributeKey.of("words");

    private CommContract() {}

    @Contract
    public static void comparesRanksOrderAndContext(Trial t) {
        Comm world = t.world();
        boolean alone = t.size() == 1;
        try (OwnedComm dup = world.dup();
                OwnedComm reversed = world.split(0, -t.rank());
                OwnedComm parity = world.split(t.rank() % 2)) {
            Check.same(Comparison.IDENT, world.compare(world), "world beside itself");
            Check.same(Comparison.IDENT, world.compare(t.mpi().world()), "world beside world");
            Check.same(Comparison.CONGRUENT, world.compare(dup), "world beside its dup");
            Check.same(Comparison.CONGRUENT, dup.compare(world), "a dup beside world");
            Check.same(alone ? Comparison.CONGRUENT : Comparison.SIMILAR, dup.compare(reversed), "dup beside reversed");
            Check.same(alone ? Comparison.CONGRUENT : Comparison.UNEQUAL, parity.compare(world), "half beside world");
            Check.same(
                    alone ? Comparison.CONGRUENT : Comparison.UNEQUAL,
                    t.mpi().self().compare(world),
                    "self beside world");
        }
        OwnedComm closed = world.dup();
        closed.close();
        Check.fails(ErrorClass.ERR_COMM, () -> world.compare(closed));
    }

    @Contract
    public static void namesTellWhereItComesFrom(Trial t) {
        try (OwnedComm base = t.world().dup()) {
            base.name("base");
            Check.same("base", base.name(), "name");
            try (OwnedComm first = base.split(t.rank() % 2);
                    OwnedComm second = first.dup();
                    OwnedComm third = base.create(base.group());
                    OwnedComm fourth = base.createGroup(base.group(), 9)) {
                Check.same("base.split1", first.name(), "name of a split");
                Check.same("base.split1.dup1", second.name(), "name of a dup");
                Check.same("base.create2", third.name(), "name of one of a group");
                Check.same("base.createGroup9", fourth.name(), "name of one by its members");
                third.name("of rows");
                int n = t.size();
                Check.rejects(
                        ErrorClass.ERR_RANK,
                        "send: dest=" + n + " is no rank of of rows, which has ranks 0 to " + (n - 1) + " (rank "
                                + t.rank() + " of " + n + ", of rows)",
                        () -> third.send(buf(new int[1]), n));
            }
        }
    }

    @Contract
    public static void attributesAreItsOwn(Trial t) {
        try (OwnedComm a = t.world().dup()) {
            Check.same(null, a.attribute(WORDS), "before");
            a.attribute(WORDS, List.of("one"));
            a.attribute(OTHER, List.of("other"));
            a.attribute(WORDS, List.of("two", "rank " + t.rank()));
            try (OwnedComm b = a.dup()) {
                Check.same(null, b.attribute(WORDS), "of a dup");
                b.attribute(WORDS, List.of());
            }
            Check.same(List.of("two", "rank " + t.rank()), a.attribute(WORDS), "after");
            Check.same(List.of("two", "rank " + t.rank()), a.deleteAttribute(WORDS), "deleted");
            Check.same(null, a.attribute(WORDS), "after it was deleted");
            Check.same(null, a.deleteAttribute(WORDS), "deleted twice");
            Check.same(List.of("other"), a.attribute(OTHER), "of a key of the same name");
        }
    }

    @Contract
    public static void hintsAreKeptAndGivenToDups(Trial t) {
        try (OwnedComm a = t.world().dup()) {
            Check.same(Map.of(), a.info(), "at first");
            a.info(Map.of("mpi_assert_no_any_tag", "false", "colour", "red"));
            Map<String, String> before = a.info();
            a.info(Map.of("colour", "blue"));
            Check.same(Map.of("mpi_assert_no_any_tag", "false", "colour", "red"), before, "as it was");
            Map<String, String> now = Map.of("mpi_assert_no_any_tag", "false", "colour", "blue");
            Check.same(now, a.info(), "as it is");
            try (OwnedComm copy = a.dup();
                    OwnedComm part = a.split(0)) {
                Check.same(now, copy.info(), "of a dup");
                Check.same(Map.of(), part.info(), "of a split");
                copy.info(Map.of("colour", "green"));
            }
            Check.same(now, a.info(), "in the end");
        }
    }
}
