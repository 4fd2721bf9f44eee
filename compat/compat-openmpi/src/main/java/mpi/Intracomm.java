package mpi;

import java.nio.Buffer;

/// A communicator with one group.
public class Intracomm extends Comm {
    Intracomm(CommHandles state) {
        super(state);
    }

    @Override
    public Intracomm dup() throws MPIException {
        return new Intracomm(state.dup(null));
    }

    @Override
    public Intracomm dupWithInfo(Info info) throws MPIException {
        return new Intracomm(state.dup(info));
    }

    @Override
    public Intracomm iDup() throws MPIException {
        return new Intracomm(state.idup());
    }

    @Override
    public Intracomm clone() {
        return new Intracomm(state.cloned());
    }

    // ---- derived communicators

    public final Intracomm split(int color, int key) throws MPIException {
        return new Intracomm(state.made(c -> c.split(color, key)));
    }

    public final Intracomm splitType(int type, int key, Info info) throws MPIException {
        if (type == MPI.UNDEFINED) {
            state.made(c -> c.splitType(org.tutti.mpi.SplitType.UNDEFINED, key));
            return new Intracomm(CommHandles.none());
        }
        if (type != TYPE_SHARED) {
            throw Failures.of(MPI.ERR_ARG, "MPI_ERR_ARG: type=" + type + " is not a split type", state.errhandler);
        }
        return new Intracomm(state.made(c -> c.splitType(org.tutti.mpi.SplitType.SHARED, key)));
    }

    public final Intracomm create(Group group) throws MPIException {
        org.tutti.mpi.Group members = group.there();
        return new Intracomm(state.made(c -> c.create(members)));
    }

    public final Intracomm createGroup(Group group, int tag) throws MPIException {
        org.tutti.mpi.Group members = group.there();
        if (members.rank() == org.tutti.mpi.Comm.UNDEFINED) return new Intracomm(CommHandles.none());
        return new Intracomm(state.made(c -> c.createGroup(members, tag)));
    }

    // ---- topologies

    public final CartComm createCart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        return new CartComm(state.made(c -> c.cartesian(dims, periods)));
    }

    public final GraphComm createGraph(int[] index, int[] edges, boolean reorder) throws MPIException {
        return new GraphComm(state.made(c -> c.graph(index, edges)));
    }

    public final GraphComm createDistGraph(
            int[] sources, int[] degrees, int[] destinations, int[] weights, Info info, boolean reorder)
            throws MPIException {
        return new GraphComm(hinted(info, c -> c.distGraph(sources, degrees, destinations, weights)));
    }

    public final GraphComm createDistGraph(int[] sources, int[] degrees, int[] destinations, Info info, boolean reorder)
            throws MPIException {
        return new GraphComm(hinted(info, c -> c.distGraph(sources, degrees, destinations, null)));
    }

    public final GraphComm createDistGraphAdjacent(
            int[] sources,
            int[] sourceWeights,
            int[] destinations,
            int[] destinationWeights,
            Info info,
            boolean reorder)
            throws MPIException {
        return new GraphComm(
                hinted(info, c -> c.distGraphAdjacent(sources, sourceWeights, destinations, destinationWeights)));
    }

    public final GraphComm createDistGraphAdjacent(int[] sources, int[] destinations, Info info, boolean reorder)
            throws MPIException {
        return new GraphComm(hinted(info, c -> c.distGraphAdjacent(sources, null, destinations, null)));
    }

    private CommHandles hinted(Info info, CommHandles.Maker maker) throws MPIException {
        CommHandles made = state.made(maker);
        if (info != null && !info.isNull()) made.open().setInfo(Info.map(info));
        return made;
    }

    // ---- scans

    public final void scan(Object s, Object r, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.SCAN, s, r, count, type, op);
    }

    public final void scan(Object buf, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.SCAN, buf, count, type, op);
    }

    public final Request iScan(Buffer s, Buffer r, int count, Datatype type, Op op) throws MPIException {
        CommState.checkDirect(s, count, r, count);
        return state.combine(
                (c, send, recv, kind) -> ((org.tutti.mpi.Comm) c).iscan(send, recv, kind), s, r, count, type, op);
    }

    public final Request iScan(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        Data.checkDirect(buf, count);
        return state.combine(
                (c, send, recv, kind) -> ((org.tutti.mpi.Comm) c).iscan(send, recv, kind), buf, count, type, op);
    }

    public final void exScan(Object s, Object r, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.EXSCAN, s, r, count, type, op);
    }

    public final void exScan(Object buf, int count, Datatype type, Op op) throws MPIException {
        state.combine(Blocking.EXSCAN, buf, count, type, op);
    }

    public final Request iExScan(Buffer s, Buffer r, int count, Datatype type, Op op) throws MPIException {
        CommState.checkDirect(s, count, r, count);
        return state.combine(
                (c, send, recv, kind) -> ((org.tutti.mpi.Comm) c).iexscan(send, recv, kind), s, r, count, type, op);
    }

    public final Request iExScan(Buffer buf, int count, Datatype type, Op op) throws MPIException {
        Data.checkDirect(buf, count);
        return state.combine(
                (c, send, recv, kind) -> ((org.tutti.mpi.Comm) c).iexscan(send, recv, kind), buf, count, type, op);
    }

    // ---- processes

    public final Intercomm spawn(String command, String[] argv, int maxprocs, Info info, int root, int[] codes)
            throws MPIException {
        return Processes.spawn(
                this,
                new String[] {command},
                new String[][] {argv},
                new int[] {maxprocs},
                new Info[] {info},
                root,
                codes);
    }

    public final Intercomm spawnMultiple(
            String[] commands, String[][] argv, int[] maxprocs, Info[] info, int root, int[] codes)
            throws MPIException {
        return Processes.spawn(this, commands, argv, maxprocs, info, root, codes);
    }

    public static String openPort() throws MPIException {
        return Processes.openPort();
    }

    public static String openPort(Info info) throws MPIException {
        return Processes.openPort();
    }

    public static void closePort(String name) throws MPIException {
        Processes.closePort(name);
    }

    public final Intercomm accept(String port, int root) throws MPIException {
        return Processes.accept(this, port, root);
    }

    public final Intercomm accept(String port, Info info, int root) throws MPIException {
        return Processes.accept(this, port, root);
    }

    public final Intercomm connect(String port, int root) throws MPIException {
        return new Intercomm(state.made(c -> c.connect(port, root)));
    }

    public final Intercomm connect(String port, Info info, int root) throws MPIException {
        return connect(port, root);
    }

    public static void publishName(String service, String port) throws MPIException {
        Processes.publish(service, port);
    }

    public static void publishName(String service, Info info, String port) throws MPIException {
        Processes.publish(service, port);
    }

    public static void unpublishName(String service, String port) throws MPIException {
        Processes.unpublish(service, port);
    }

    public static void unpublishName(String service, Info info, String port) throws MPIException {
        Processes.unpublish(service, port);
    }

    public static String lookupName(String service) throws MPIException {
        return Processes.lookup(service);
    }

    public static String lookupName(String service, Info info) throws MPIException {
        return Processes.lookup(service);
    }
}
