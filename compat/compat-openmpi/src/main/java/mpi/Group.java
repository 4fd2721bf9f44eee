package mpi;

import java.util.Arrays;
import org.tutti.mpi.Group.Range;
import org.tutti.mpi.MpiException;

/// A group of ranks.
public final class Group implements Freeable {
    /// Null after [#free].
    private org.tutti.mpi.Group group;

    Group(org.tutti.mpi.Group group) {
        this.group = group;
    }

    private interface Maker {
        org.tutti.mpi.Group make(org.tutti.mpi.Group one);
    }

    org.tutti.mpi.Group there() throws MPIException {
        LifeCycle.mpi();
        org.tutti.mpi.Group g = group;
        if (g == null) throw Failures.of(MPI.ERR_GROUP, "MPI_ERR_GROUP: the group is null, or was freed");
        return g;
    }

    private static Group made(Group one, Maker maker) throws MPIException {
        org.tutti.mpi.Group g = one.there();
        try {
            return new Group(maker.make(g));
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    public int getSize() throws MPIException {
        return there().size();
    }

    public int getRank() throws MPIException {
        return there().rank();
    }

    public static int[] translateRanks(Group one, int[] ranks, Group other) throws MPIException {
        org.tutti.mpi.Group from = one.there();
        org.tutti.mpi.Group to = other.there();
        try {
            return from.translateRanks(ranks, to);
        } catch (MpiException e) {
            throw Failures.of(e);
        }
    }

    public static int compare(Group one, Group other) throws MPIException {
        return Comm.number(one.there().compare(other.there()));
    }

    public static Group union(Group one, Group other) throws MPIException {
        org.tutti.mpi.Group g = other.there();
        return made(one, o -> o.union(g));
    }

    public static Group intersection(Group one, Group other) throws MPIException {
        org.tutti.mpi.Group g = other.there();
        return made(one, o -> o.intersection(g));
    }

    public static Group difference(Group one, Group other) throws MPIException {
        org.tutti.mpi.Group g = other.there();
        return made(one, o -> o.difference(g));
    }

    public Group incl(int[] ranks) throws MPIException {
        return made(this, g -> g.incl(ranks));
    }

    public Group excl(int[] ranks) throws MPIException {
        return made(this, g -> g.excl(ranks));
    }

    public Group rangeIncl(int[][] ranges) throws MPIException {
        return made(this, g -> g.rangeIncl(ranges(ranges)));
    }

    public Group rangeExcl(int[][] ranges) throws MPIException {
        return made(this, g -> g.rangeExcl(ranges(ranges)));
    }

    private static Range[] ranges(int[][] triplets) {
        return Arrays.stream(triplets).map(t -> new Range(t[0], t[1], t[2])).toArray(Range[]::new);
    }

    @Override
    public void free() throws MPIException {
        there();
        group = null;
    }

    public boolean isNull() {
        return group == null;
    }
}
