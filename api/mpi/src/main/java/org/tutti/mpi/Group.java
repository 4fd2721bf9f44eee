package org.tutti.mpi;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.tutti.spi.CommPort;

/// An ordered set of ranks of the job, like the ranks of a communicator but without a context. Groups are
/// immutable; all methods are local. MPI 4.1, section 7.3.
///
///     Group world = mpi.world().group();
///     Group even = world.rangeIncl(new Group.Range(0, world.size() - 1, 2));
///     try (OwnedComm comm = mpi.world().create(even)) { … }
///
/// Ranks passed to a group are ranks of that group, from 0 to `size() - 1`. Two groups are equal if they
/// contain the same ranks in the same order.
public final class Group {
    /// The group without ranks.
    public static final Group EMPTY = new Group(new int[0], -1, 0);

    /// The [#realm] of the job's processes.
    static final int JOB = 0;

    /// The ranks `first`, `first + stride`, `first + 2 * stride`, … up to `last`. `last` itself need not be one
    /// of these ranks. The stride may be negative.
    public record Range(int first, int last, int stride) {
        @Override
        public String toString() {
            return "(" + first + ", " + last + ", " + stride + ")";
        }
    }

    private final int[] processes;

    /// The caller's process; -1 for the empty group, for which the process is irrelevant.
    private final int me;

    /// The number of the scope in which process numbers are unique: the job ([#JOB]), or a connection with a
    /// second job. Processes of different realms cannot be compared.
    private final int realm;

    private Group(int[] processes, int me, int realm) {
        this.processes = processes;
        this.me = me;
        this.realm = realm;
    }

    /// Returns the group of these processes in this order, for the caller, which is process `me`.
    ///
    /// @param processes the numbers that [CommPort#process] returns
    static Group of(int[] processes, int me, int realm) {
        return processes.length == 0 ? EMPTY : new Group(processes, me, realm);
    }

    /// Returns the group of all ranks of `port`.
    static Group of(CommPort port, int realm) {
        int[] processes = IntStream.range(0, port.size()).map(port::process).toArray();
        return of(processes, port.process(port.rank()), realm);
    }

    /// Returns whether the processes are in realm `other`; true for the empty group.
    boolean isOf(int other) {
        return realm == other || processes.length == 0;
    }

    /// Returns the number of ranks. `MPI_Group_size`, MPI 4.1, section 7.3.1.
    public int size() {
        return processes.length;
    }

    /// Returns the process of each rank.
    int[] processes() {
        return processes.clone();
    }

    /// Returns the caller's rank in this group; [Comm#UNDEFINED] if the caller is not in this group.
    /// `MPI_Group_rank`, MPI 4.1, section 7.3.1.
    public int rank() {
        for (int r = 0; r < processes.length; r++) if (processes[r] == me) return r;
        return Comm.UNDEFINED;
    }

    /// Translates `ranks`, which are ranks of this group, into ranks of `other`. Returns [Comm#UNDEFINED] for a
    /// process that `other` does not contain, and [Comm#PROC_NULL] for [Comm#PROC_NULL].
    /// `MPI_Group_translate_ranks`, MPI 4.1, section 7.3.1.
    ///
    /// @throws MpiException `ERR_RANK` if an entry is not a rank of this group
    public int[] translateRanks(int[] ranks, Group other) {
        Arguments.given("translateRanks", "ranks", ranks);
        Arguments.given("translateRanks", "other", other);
        Map<Integer, Integer> there = places(other);
        int[] translated = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            if (ranks[i] == Comm.PROC_NULL) {
                translated[i] = Comm.PROC_NULL;
            } else {
                checkRank("translateRanks", ranks[i], "");
                translated[i] = there.getOrDefault(processes[ranks[i]], Comm.UNDEFINED);
            }
        }
        return translated;
    }

    /// Compares this group with `other`. Returns [Comparison#IDENT], [Comparison#SIMILAR] or
    /// [Comparison#UNEQUAL]. `MPI_Group_compare`, MPI 4.1, section 7.3.1.
    public Comparison compare(Group other) {
        Arguments.given("compare", "other", other);
        if (equals(other)) return Comparison.IDENT;
        if (processes.length != other.processes.length) return Comparison.UNEQUAL;
        Map<Integer, Integer> there = places(other);
        return IntStream.of(processes).allMatch(there::containsKey) ? Comparison.SIMILAR : Comparison.UNEQUAL;
    }

    /// Returns the group of the ranks of this group, followed by the ranks of `other` that are not in this
    /// group. The order of the ranks in each of the two groups is retained. `MPI_Group_union`, MPI 4.1, section
    /// 7.3.2.
    ///
    /// @throws MpiException `ERR_GROUP` if a group is of a communicator that connects two jobs ([Port]), and
    ///     the other group is not of the same connection
    public Group union(Group other) {
        Arguments.given("union", "other", other);
        if (!other.isOf(realm) && size() > 0) {
            throw MpiException.argument(
                    ErrorClass.ERR_GROUP,
                    "union",
                    "only one of " + this + " and " + other
                            + " is of a communicator with a different job; pass groups of the same job",
                    null);
        }
        Map<Integer, Integer> here = places();
        IntStream more = IntStream.of(other.processes).filter(r -> !here.containsKey(r));
        return of(
                IntStream.concat(IntStream.of(processes), more).toArray(),
                me < 0 ? other.me : me,
                size() == 0 ? other.realm : realm);
    }

    /// Returns the group of the ranks of this group that are also in `other`, in the order of this group.
    /// `MPI_Group_intersection`, MPI 4.1, section 7.3.2.
    public Group intersection(Group other) {
        return those(places(other)::containsKey);
    }

    /// Returns the group of the ranks of this group that are not in `other`, in the order of this group.
    /// `MPI_Group_difference`, MPI 4.1, section 7.3.2.
    public Group difference(Group other) {
        Map<Integer, Integer> there = places(other);
        return those(r -> !there.containsKey(r));
    }

    private Group those(IntPredicate wanted) {
        return of(IntStream.of(processes).filter(wanted).toArray(), me, realm);
    }

    /// Returns the group of the ranks in `ranks`, which are ranks of this group, in the order of `ranks`.
    /// `MPI_Group_incl`, MPI 4.1, section 7.3.2.
    ///
    /// @throws MpiException `ERR_RANK` if an entry is not a rank of this group, or is given twice
    public Group incl(int... ranks) {
        checkDistinct("incl", ranks);
        return including(ranks);
    }

    /// Returns the group of the ranks of this group that are not in `ranks`, in the order of this group.
    /// `MPI_Group_excl`, MPI 4.1, section 7.3.2.
    ///
    /// @throws MpiException `ERR_RANK` if an entry is not a rank of this group, or is given twice
    public Group excl(int... ranks) {

        return excluding(checkDistinct("excl", ranks));
    }

    /// Returns the group of the ranks in all ranges, in the given order. `MPI_Group_range_incl`, MPI 4.1,
    /// section 7.3.2.
    ///
    /// @throws MpiException `ERR_ARG` if a stride is zero or has the wrong sign; `ERR_RANK` if a rank of a
    ///     range is not a rank of this group, or occurs twice
    public Group rangeIncl(Range... ranges) {
        int[] ranks = expand("rangeIncl", ranges);
        checkDistinct("rangeIncl", ranks);
        return including(ranks);
    }

    /// Returns the group of the ranks of this group that are in no range, in the order of this group.
    /// `MPI_Group_range_excl`, MPI 4.1, section 7.3.2.
    ///
    /// @throws MpiException as [#rangeIncl]
    public Group rangeExcl(Range... ranges) {
        return excluding(checkDistinct("rangeExcl", expand("rangeExcl", ranges)));
    }

    private Group including(int[] ranks) {

        return of(IntStream.of(ranks).map(r -> processes[r]).toArray(), me, realm);
    }

    private Group excluding(boolean[] named) {
        int[] rest = IntStream.range(0, size()).filter(r -> !named[r]).toArray();
        return including(rest);
    }

    /// Checks that all ranks are in this group, and that no rank occurs twice. Returns, for each rank of this
    /// group, whether `ranks` contains it.
    private boolean[] checkDistinct(String operation, int[] ranks) {
        Arguments.given(operation, "ranks", ranks);
        boolean[] named = new boolean[size()];
        for (int r : ranks) {
            checkRank(operation, r, "");
            if (named[r]) {
                throw MpiException.argument(
                        ErrorClass.ERR_RANK, operation, "rank=" + r + " occurs twice; name each rank once", null);
            }
            named[r] = true;
        }
        return named;
    }

    private int[] expand(String operation, Range[] ranges) {
        Arguments.given(operation, "ranges", ranges);
        IntStream.Builder ranks = IntStream.builder();
        for (Range range : ranges) {
            long distance = (long) range.last - range.first;
            if (range.stride == 0 || distance != 0 && distance < 0 != range.stride < 0) {
                throw MpiException.argument(
                        ErrorClass.ERR_ARG,
                        operation,
                        "stride=" + range.stride + " does not lead from first=" + range.first + " to last="
                                + range.last,
                        null);
            }
            for (long i = 0; i <= distance / range.stride; i++) {
                long rank = range.first + i * range.stride;
                checkRank(operation, rank, " in the range " + range);
                ranks.add((int) rank);
            }
        }
        return ranks.build().toArray();
    }

    private void checkRank(String operation, long rank, String from) {
        if (rank >= 0 && rank < size()) return;
        throw MpiException.argument(
                ErrorClass.ERR_RANK,
                operation,
                "rank=" + rank + from + " is not a rank of this group, which has "
                        + (size() == 0 ? "no ranks" : "ranks 0 to " + (size() - 1)),
                null);
    }

    /// Returns a map from each process of `other` to the rank of the process in `other`; an empty map if the
    /// processes of the two groups cannot be compared.
    private Map<Integer, Integer> places(Group other) {
        Arguments.given("Group", "other", other);
        return other.isOf(realm) ? other.places() : Map.of();
    }

    /// Returns a map from each process of this group to the rank of the process.
    private Map<Integer, Integer> places() {
        Map<Integer, Integer> places = HashMap.newHashMap(processes.length);
        for (int r = 0; r < processes.length; r++) places.put(processes[r], r);
        return places;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Group g && g.isOf(realm) && Arrays.equals(processes, g.processes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(processes);
    }

    /// Returns, for example, `Group [0, 2, 4]`. The numbers are ranks of the world that the launcher started;
    /// spawned processes have higher numbers.
    @Override
    public String toString() {
        return "Group " + Arrays.toString(processes);
    }
}
