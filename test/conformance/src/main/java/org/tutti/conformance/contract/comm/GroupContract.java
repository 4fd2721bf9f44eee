package org.tutti.conformance.contract.comm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.tutti.conformance.trial.Check;
import org.tutti.conformance.trial.Contract;
import org.tutti.conformance.trial.Trial;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Comparison;
import org.tutti.mpi.ErrorClass;
import org.tutti.mpi.Group;
import org.tutti.mpi.OwnedComm;

/// Groups. MPI 4.1, section 7.3.
public final class GroupContract {
    private GroupContract() {}

    @Contract
    public static void groupContainsTheRanksOfTheCommunicator(Trial t) {
        Group world = t.world().group();
        Check.same(t.size(), world.size(), "size");
        Check.same(t.rank(), world.rank(), "rank");
        Check.same("Group " + IntStream.range(0, t.size()).boxed().toList(), world.toString(), "text");
        Group self = t.mpi().self().group();
        Check.same(1, self.size(), "size of self");
        Check.same(0, self.rank(), "rank in self");
        Check.same(world.incl(t.rank()), self, "self as a part of world");
        try (OwnedComm reversed = t.world().split(0, -t.rank())) {
            Group back = reversed.group();
            int[] all = IntStream.range(0, t.size()).toArray();
            int[] there = back.translateRanks(all, world);
            for (int r = 0; r < t.size(); r++) Check.same(t.size() - 1 - r, there[r], "world rank of rank " + r);
            Comparison expected = t.size() == 1 ? Comparison.IDENT : Comparison.SIMILAR;
            Check.same(expected, back.compare(world), "reversed and world");
        }
    }

    @Contract
    public static void emptyGroupHasNoRanks(Trial t) {
        Group world = t.world().group();
        Check.same(0, Group.EMPTY.size(), "size");
        Check.same(Comm.UNDEFINED, Group.EMPTY.rank(), "rank");
        Check.same("Group []", Group.EMPTY.toString(), "text");
        Check.same(Group.EMPTY, world.incl(), "incl of no ranks");
        Check.same(world, world.excl(), "excl of no ranks");
        Check.same(Group.EMPTY, world.difference(world), "world without itself");
        Check.same(world, Group.EMPTY.union(world), "union of the empty group and world");
        Check.same(t.rank(), Group.EMPTY.union(world).rank(), "rank in the union of the empty group and world");
        Check.same(Comparison.IDENT, Group.EMPTY.compare(world.excl(all(t))), "two empty groups");
        Check.same(Comparison.UNEQUAL, Group.EMPTY.compare(world), "empty group and world");
    }

    private static int[] all(Trial t) {
        return IntStream.range(0, t.size()).toArray();
    }

    /// The examples of section 7.3.2 of the standard, on at least 8 ranks.
    @Contract(minRanks = 8)
    public static void rangesAreTriplets(Trial t) {
        Group world = t.world().group();
        Check.same(world.incl(1, 3, 5, 7), world.rangeIncl(new Group.Range(1, 7, 2)), "1 to 7 by 2");
        Check.same(world.incl(1, 3, 5), world.rangeIncl(new Group.Range(1, 6, 2)), "1 to 6 by 2");
        Check.same(
                world.incl(6, 4, 2, 0, 7),
                world.rangeIncl(new Group.Range(6, 0, -2), new Group.Range(7, 7, 1)),
                "6 to 0 by -2, and 7");
        Check.same(world.incl(6, 3), world.rangeIncl(new Group.Range(6, 1, -3)), "6 to 1 by -3");
        Check.same(world.incl(0, 2, 4, 6, 7), world.rangeExcl(new Group.Range(5, 1, -2)), "without 5, 3, 1");
        Check.same(world, world.rangeExcl(), "without any range");
        Check.same(Group.EMPTY, world.rangeIncl(), "of no range");
    }

    @Contract
    public static void translationReturnsUndefinedForNonmembers(Trial t) {
        Group world = t.world().group();
        Group last = world.incl(t.size() - 1);
        int[] there = world.translateRanks(new int[] {0, t.size() - 1, Comm.PROC_NULL}, last);
        Check.same(t.size() == 1 ? 0 : Comm.UNDEFINED, there[0], "rank 0");
        Check.same(0, there[1], "the last");
        Check.same(Comm.PROC_NULL, there[2], "PROC_NULL");
        Check.same(0, world.translateRanks(new int[0], last).length, "none translated");
    }

    /// Compares the operations on random groups with the same operations on ordered sets.
    @Contract
    public static void algebraEqualsOrderedSets(Trial t) {
        Group world = t.world().group();
        Random random = new Random(t.random().nextLong());
        for (int i = 0; i < 60; i++) {
            List<Integer> a = some(t.size(), random);
            List<Integer> b = some(t.size(), random);
            Group x = world.incl(ranks(a));
            Group y = world.incl(ranks(b));
            String of = " of " + a + " and " + b;
            Set<Integer> union = new LinkedHashSet<>(a);
            union.addAll(b);
            Set<Integer> both = new LinkedHashSet<>(a);
            both.retainAll(b);
            Set<Integer> rest = new LinkedHashSet<>(a);
            rest.removeAll(b);
            same(union, x.union(y), "union" + of, t);
            same(both, x.intersection(y), "intersection" + of, t);
            same(rest, x.difference(y), "difference" + of, t);
            Set<Integer> outside =
                    new LinkedHashSet<>(IntStream.range(0, t.size()).boxed().toList());
            a.forEach(outside::remove);
            same(outside, world.excl(ranks(a)), "world without " + a, t);
            Check.same(a.equals(b), x.equals(y), "equality" + of);
            Comparison expected = a.equals(b)
                    ? Comparison.IDENT
                    : Set.copyOf(a).equals(Set.copyOf(b)) ? Comparison.SIMILAR : Comparison.UNEQUAL;
            Check.same(expected, x.compare(y), "comparison" + of);
            int[] there = x.translateRanks(IntStream.range(0, a.size()).toArray(), y);
            for (int r = 0; r < a.size(); r++) {
                int place = b.indexOf(a.get(r));
                Check.same(place < 0 ? Comm.UNDEFINED : place, there[r], "translation of rank " + r + of);
            }
        }
    }

    private static List<Integer> some(int size, Random random) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, size).boxed().toList());
        Collections.shuffle(all, random);
        return all.subList(0, random.nextInt(size + 1));
    }

    private static int[] ranks(List<Integer> list) {
        return list.stream().mapToInt(r -> r).toArray();
    }

    private static void same(Set<Integer> expected, Group actual, String label, Trial t) {
        List<Integer> order = List.copyOf(expected);
        Check.same("Group " + expected, actual.toString(), label);
        Check.same(order.size(), actual.size(), "size of the " + label);
        int me = order.indexOf(t.rank());
        Check.same(me < 0 ? Comm.UNDEFINED : me, actual.rank(), "rank in the " + label);
        Group again = t.world().group().incl(ranks(order));
        Check.same(again, actual, label);
        Check.same(again.hashCode(), actual.hashCode(), "hash of the " + label);
    }

    @Contract
    public static void ranksOutsideTheGroup(Trial t) {
        Group g = t.world().group();
        int n = t.size();
        String none = " is not a rank of this group, which has ranks 0 to " + (n - 1);
        Check.rejects(ErrorClass.ERR_RANK, "incl: rank=" + n + none, () -> g.incl(0, n));
        Check.rejects(ErrorClass.ERR_RANK, "excl: rank=-1" + none, () -> g.excl(-1));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "translateRanks: rank=-5" + none,
                () -> g.translateRanks(new int[] {0, -5}, Group.EMPTY));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "incl: rank=0 is not a rank of this group, which has no ranks",
                () -> Group.EMPTY.incl(0));
        String twice = " occurs twice; name each rank once";
        Check.rejects(ErrorClass.ERR_RANK, "incl: rank=0" + twice, () -> g.incl(0, 0));
        Check.rejects(ErrorClass.ERR_RANK, "excl: rank=0" + twice, () -> g.excl(0, 0));
        Group.Range zero = new Group.Range(0, 0, 3);
        Check.rejects(ErrorClass.ERR_RANK, "rangeIncl: rank=0" + twice, () -> g.rangeIncl(zero, zero));
        Check.rejects(
                ErrorClass.ERR_RANK,
                "rangeExcl: rank=" + n + " in the range (0, " + Integer.MAX_VALUE + ", 1)" + none,
                () -> g.rangeExcl(new Group.Range(0, Integer.MAX_VALUE, 1)));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "rangeIncl: stride=0 does not lead from first=0 to last=0",
                () -> g.rangeIncl(new Group.Range(0, 0, 0)));
        Check.rejects(
                ErrorClass.ERR_ARG,
                "rangeExcl: stride=-1 does not lead from first=0 to last=3",
                () -> g.rangeExcl(new Group.Range(0, 3, -1)));
    }
}
