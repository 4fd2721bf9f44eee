package mpi;

import org.jspecify.annotations.Nullable;
import org.tutti.mpi.Group.Range;
import org.tutti.mpi.MpiException;

/// An ordered set of processes.
public class Group implements Freeable {
    /// The value of [#code] for an empty group.
    public static final int EMPTY = 3;

    /// [#EMPTY], or 0.
    public int code;

    private final org.tutti.mpi.@Nullable Group members;

    Group(org.tutti.mpi.@Nullable Group members) {
        this.members = members;
        code = members != null && members.size() == 0 ? EMPTY : 0;
    }

    org.tutti.mpi.Group members(String operation) {
        if (members != null) return members;
        throw new MPIException(operation + ": the group is MPI.GROUP_NULL");
    }

    private static org.tutti.mpi.Group members(String operation, Group group) {
        if (group != null) return group.members(operation);
        throw new MPIException(operation + ": the group is null");
    }

    /// Returns the number of processes.
    public int Size() throws MPIException {
        return members("Size").size();
    }

    /// Returns the rank of this process; [MPI#UNDEFINED] if it is not a member.
    public int Rank() throws MPIException {
        return MpjNumbers.rank(members("Rank").rank());
    }

    /// Returns the ranks in `second` of the processes that have the given ranks in `first`; [MPI#UNDEFINED] for
    /// processes that are not in `second`.
    public static int[] Translate_ranks(Group first, int[] ranks, Group second) throws MPIException {
        try {
            int[] places = members("Translate_ranks", first).translateRanks(ranks, members("Translate_ranks", second));
            for (int i = 0; i < places.length; i++) places[i] = MpjNumbers.rank(places[i]);
            return places;
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns [MPI#IDENT], [MPI#SIMILAR] or [MPI#UNEQUAL].
    public static int Compare(Group first, Group second) throws MPIException {
        return Comm.number(members("Compare", first).compare(members("Compare", second)));
    }

    /// Returns the processes of `first`, followed by the remaining processes of `second`.
    public static Group Union(Group first, Group second) throws MPIException {
        return new Group(members("Union", first).union(members("Union", second)));
    }

    /// Returns the processes of `first` that are in `second`.
    public static Group Intersection(Group first, Group second) throws MPIException {
        return new Group(members("Intersection", first).intersection(members("Intersection", second)));
    }

    /// Returns the processes of `first` that are not in `second`.
    public static Group Difference(Group first, Group second) throws MPIException {
        return new Group(members("Difference", first).difference(members("Difference", second)));
    }

    /// Returns the processes with these ranks, in this order.
    public Group Incl(int[] ranks) throws MPIException {
        try {
            return new Group(members("Incl").incl(ranks));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// Returns the group without the processes with these ranks.
    public Group Excl(int[] ranks) throws MPIException {
        try {
            return new Group(members("Excl").excl(ranks));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Incl], for ranges: first rank, last rank, stride.
    public Group Range_incl(int[][] ranges) throws MPIException {
        try {
            return new Group(members("Range_incl").rangeIncl(ranges("Range_incl", ranges)));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    /// As [#Excl], for ranges: first rank, last rank, stride.
    public Group Range_excl(int[][] ranges) throws MPIException {
        try {
            return new Group(members("Range_excl").rangeExcl(ranges("Range_excl", ranges)));
        } catch (MpiException e) {
            throw MPIException.of(e);
        }
    }

    private static Range[] ranges(String operation, int[][] ranges) {
        Range[] made = new Range[ranges.length];
        for (int i = 0; i < made.length; i++) {
            int[] r = ranges[i];
            if (r.length != 3) {
                throw new MPIException(operation + ": ranges[" + i + "] has " + r.length
                        + " numbers; it is a first place, a last one and a stride");
            }
            made[i] = new Range(r[0], r[1], r[2]);
        }
        return made;
    }

    /// Has no effect.
    @Override
    public void free() {}
}
