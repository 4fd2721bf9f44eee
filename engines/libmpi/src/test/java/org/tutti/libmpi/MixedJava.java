package org.tutti.libmpi;

import static org.tutti.mpi.Buf.buf;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.tutti.mpi.Buf;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Request;
import org.tutti.mpi.SplitType;

/// The Java part of a mixed job: the script through Tutti's API, then operations of only the Java ranks, and
/// operations refused on mixed communicators. `MixedJava FIRST…`: the Java ranks.
final class MixedJava implements MixedScript.Ranks {
    private final Comm comm;

    private MixedJava(Comm comm) {
        this.comm = comm;
    }

    public static void main(String[] args) throws Exception {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            MixedScript.run(new MixedJava(world));
            refusals(world);
            try (OwnedComm javas = world.split(1)) {
                among(javas);
            }
            int[] ranks = IntStream.range(0, args.length)
                    .map(i -> Integer.parseInt(args[i]))
                    .toArray();
            try (OwnedComm javas = world.createGroup(world.group().incl(ranks))) {
                among(javas);
            }
            Thread virtual = Thread.ofVirtual()
                    .start(() -> new MixedJava(world).collective("allreduce", false, new int[1], new int[1], 0));
            virtual.join();
            System.out.println("java rank " + world.rank() + " ok");
        }
    }

    /// Checks that all operations work on communicators of Java ranks.
    private static void among(Comm javas) {
        List<Object> names = javas.allgatherObject("java " + javas.rank());
        List<String> expected =
                IntStream.range(0, javas.size()).mapToObj(r -> "java " + r).toList();
        if (!names.equals(expected)) throw new AssertionError("gathered " + names);
        int right = (javas.rank() + 1) % javas.size(), left = (javas.rank() + javas.size() - 1) % javas.size();
        String big = javas.sendrecvObject("x".repeat(100_000), right, 0, String.class, left, 0);
        if (Objects.requireNonNull(big).length() != 100_000) throw new AssertionError("got " + big.length());
        double[] uneven = new double[javas.size() * (javas.size() + 1) / 2];
        int[] counts = IntStream.rangeClosed(1, javas.size()).toArray();
        double[] mine = new double[javas.rank() + 1];
        javas.gather(buf(mine), javas.rank() == 0 ? buf(uneven).blocks(counts) : Buf.NONE, 0);
    }

    private static void refusals(Comm world) {
        refused(() -> world.sendObject("x", 0, 0), "sendObject: the communicator has ranks that are not Java programs");
        refused(
                () -> world.isendObject("x", 0, 0).await(),
                "create a communicator of the Java ranks with split or createGroup");
        refused(() -> world.irecvObject(String.class, 0, 0).await(), "or use typed buffers (rank ");
        refused(() -> world.gatherObject("x", 0), "gatherObject: the communicator has ranks");
        refused(() -> world.bcastObject("x", 0), "bcastObject: the communicator has ranks");
        Buf[] nothing = new Buf[world.size()];
        Arrays.fill(nothing, Buf.NONE);
        refused(() -> world.alltoallw(nothing), "alltoallw: the communicator has ranks that are not Java programs");
        refused(
                () -> world.ialltoallw(nothing).await(),
                "and collective calls that Tutti executes as messages require Java programs");
        if (world.rank() > 0) return;
        int[] counts = IntStream.range(0, world.size()).map(r -> 1).toArray();
        Buf blocks = buf(new int[world.size()]).blocks(counts);
        refused(
                () -> world.gather(buf(new int[1]), blocks, 0),
                "this call is MPI_Gather, which requires equal, consecutive blocks");
        refused(
                () -> world.scatter(blocks, buf(new int[1]), 0),
                "this call is MPI_Scatter, which requires equal, consecutive blocks");
    }

    private static void refused(Runnable call, String text) {
        try {
            call.run();
        } catch (MpiException e) {
            if (String.valueOf(e.getMessage()).contains(text)) return;
            throw e;
        }
        throw new AssertionError("not refused: " + text);
    }

    @Override
    public int rank() {
        return comm.rank();
    }

    @Override
    public int size() {
        return comm.size();
    }

    @Override
    public void collective(String name, boolean nonblocking, int[] send, int[] recv, int root) {
        boolean atRoot = rank() == root;
        Buf out = buf(send), in = buf(recv);
        Request r = null;
        switch (name) {
            case "barrier" -> {
                if (nonblocking) r = comm.ibarrier();
                else comm.barrier();
            }
            case "bcast" -> {
                if (nonblocking) r = comm.ibcast(in, root);
                else comm.bcast(in, root);
            }
            case "gather" -> {
                if (nonblocking) r = comm.igather(out, atRoot ? in : Buf.NONE, root);
                else comm.gather(out, atRoot ? in : Buf.NONE, root);
            }
            case "scatter" -> {
                if (nonblocking) r = comm.iscatter(atRoot ? out : Buf.NONE, in, root);
                else comm.scatter(atRoot ? out : Buf.NONE, in, root);
            }
            case "allgather" -> {
                if (nonblocking) r = comm.iallgather(out, in);
                else comm.allgather(out, in);
            }
            case "alltoall" -> {
                if (nonblocking) r = comm.ialltoall(out, in);
                else comm.alltoall(out, in);
            }
            case "reduce" -> {
                if (nonblocking) r = comm.ireduce(out, atRoot ? in : Buf.NONE, Op.SUM, root);
                else comm.reduce(out, atRoot ? in : Buf.NONE, Op.SUM, root);
            }
            case "allreduce" -> {
                if (nonblocking) r = comm.iallreduce(out, in, Op.SUM);
                else comm.allreduce(out, in, Op.SUM);
            }
            case "reduceScatterBlock" -> {
                if (nonblocking) r = comm.ireduceScatterBlock(out, in, Op.SUM);
                else comm.reduceScatterBlock(out, in, Op.SUM);
            }
            case "scan" -> {
                if (nonblocking) r = comm.iscan(out, in, Op.SUM);
                else comm.scan(out, in, Op.SUM);
            }
            case "exscan" -> {
                if (nonblocking) r = comm.iexscan(out, in, Op.SUM);
                else comm.exscan(out, in, Op.SUM);
            }
            default -> throw new IllegalArgumentException(name);
        }
        if (r != null) r.await();
    }

    @Override
    public void sendAndReceive(int[] send, int dest, int[] recv, int source, int tag) {
        comm.sendrecv(buf(send), dest, tag, buf(recv), source, tag);
    }

    @Override
    public MixedScript.Ranks split(int color, int key) {
        return new MixedJava(comm.split(color, key));
    }

    @Override
    public MixedScript.Ranks dup() {
        return new MixedJava(comm.dup());
    }

    @Override
    public MixedScript.Ranks splitShared() {
        return new MixedJava(comm.splitType(SplitType.SHARED));
    }

    @Override
    public void free() {
        ((OwnedComm) comm).close();
    }
}
