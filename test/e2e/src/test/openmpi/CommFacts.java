// Facts about communicators, groups, topologies, windows and files of Open MPI's Java bindings, for
// OpenMpiJavaTest. Rank 0 prints a line for each fact that holds.

import java.nio.*;
import java.util.*;
import mpi.*;

public class CommFacts extends OpenMpiFacts {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();

        fact("splitGivesParts", () -> {
            Intracomm half = w.split(me % 2, -me);
            same(half.getSize(), (n + 1 - me % 2) / 2);
            same(half.getErrhandler(), MPI.ERRORS_RETURN);
            Intracomm none = w.split(me == 0 ? MPI.UNDEFINED : 1, 0);
            same(none.isNull(), me == 0);
            if (me == 0) code(MPI.ERR_COMM, none::barrier);
            half.free();
            same(half.isNull(), true);
            same(w.splitType(Comm.TYPE_SHARED, me, MPI.INFO_NULL).getSize(), n);
            Intracomm rest = w.splitType(me == 0 ? MPI.UNDEFINED : Comm.TYPE_SHARED, me, MPI.INFO_NULL);
            same(rest.isNull(), me == 0);
            if (me > 0) same(rest.getSize(), n - 1);
        });
        fact("groupsAreSets", () -> {
            Group all = w.getGroup();
            same(all.getSize(), n);
            same(all.getRank(), me);
            Group first = all.incl(new int[] {0}), rest = all.excl(new int[] {0});
            same(Group.union(first, rest).getSize(), n);
            same(Group.intersection(first, rest).getSize(), 0);
            same(Group.difference(all, first).getSize(), n - 1);
            same(Group.compare(all, w.getGroup()), MPI.IDENT);
            same(Group.translateRanks(rest, n > 1 ? new int[] {0} : new int[0], all), n > 1 ? new int[] {1} : new int[0]);
            same(all.rangeIncl(new int[][] {{0, n - 1, 1}}).getSize(), n);
            same(first.getRank(), me == 0 ? 0 : MPI.UNDEFINED);
            Intracomm one = w.create(first);
            same(one.isNull(), me != 0);
            if (me == 0) same(w.createGroup(first, 3).getSize(), 1);
            first.free();
            same(first.isNull(), true);
            same(MPI.GROUP_EMPTY.getSize(), 0);
        });
        fact("communicatorsAreCompared", () -> {
            Intracomm d = w.dup();
            same(Comm.compare(w, w), MPI.IDENT);
            same(Comm.compare(w, d), MPI.CONGRUENT);
            if (n > 1) same(Comm.compare(w, MPI.COMM_SELF), MPI.UNEQUAL);
            same(w.clone().getSize(), n);
            Intracomm i = w.iDup();
            i.getRequest().waitFor();
            same(i.getSize(), n);
            i.barrier();
            i.disconnect();
            same(i.isNull(), true);
            code(MPI.ERR_COMM, w::free);
        });
        fact("namesAndPredefinedAttributes", () -> {
            same(w.getName(), "MPI_COMM_WORLD");
            Intracomm d = w.dup();
            d.setName("mine");
            same(d.getName(), "mine");
            same((Integer) w.getAttr(MPI.TAG_UB) >= 32767, true);
            same(w.getAttr(MPI.HOST), -2);
            same(w.getAttr(MPI.WTIME_IS_GLOBAL), false);
            same(w.getAttr(MPI.LASTUSEDCODE), 92);
            same(w.getTopology(), MPI.UNDEFINED);
            code(MPI.ERR_KEYVAL, () -> w.getAttr(MPI.KEYVAL_INVALID));
        });
        fact("attributesAreCopiedByDup", () -> {
            int key = Comm.createKeyval();
            same(w.getAttr(key), null);
            int[] value = {1, 2};
            w.setAttr(key, value);
            int[] got = (int[]) w.dup().getAttr(key);
            same(got, value);
            same(got == value, false);
            code(MPI.ERR_OTHER, () -> w.setAttr(key, new Object()));
            w.deleteAttr(key);
            same(w.getAttr(key), null);
            Comm.freeKeyval(key);
        });
        fact("infosKeepOrderAndRefuse", () -> {
            Info info = new Info();
            info.set("b", "1");
            info.set("a", "2");
            same(info.size(), 2);
            same(info.getKey(0), "b");
            same(info.get("a"), "2");
            same(info.get("c"), null);
            code(MPI.ERR_INFO_NOKEY, () -> info.delete("c"));
            Info copy = info.dup();
            info.delete("b");
            same(copy.size(), 2);
            same(MPI.INFO_ENV.get("ompi_np"), "" + n);
            same(MPI.INFO_NULL.isNull(), true);
            info.free();
            same(info.isNull(), true);
            w.setInfo(copy);
            same(w.getInfo().get("a"), "2");
        });
        fact("aGridHasNeighbors", () -> {
            int[] dims = new int[2];
            CartComm.createDims(n, dims);
            same(dims[0] * dims[1], n);
            CartComm c = w.createCart(new int[] {n}, new boolean[] {true}, false);
            same(c.getTopology(), MPI.CART);
            ShiftParms s = c.shift(0, 1);
            same(s.getRankDest(), next);
            same(s.getRankSource(), before);
            same(c.getCoords(me), new int[] {me});
            same(c.getRank(new int[] {me}), me);
            CartParms p = c.getTopo();
            same(p.getDimCount(), 1);
            same(p.getDim(0), n);
            same(p.getPeriod(0), true);
            same(p.getCoord(0), me);
            int[] got = new int[2];
            c.neighborAllGather(new int[] {me}, 1, MPI.INT, got, 1, MPI.INT);
            same(got, new int[] {before, next});
            int[] swapped = new int[2];
            c.neighborAllToAll(new int[] {10 * me, 10 * me + 1}, 1, MPI.INT, swapped, 1, MPI.INT);
            same(swapped.length, 2);
            IntBuffer out = MPI.newIntBuffer(1).put(0, me), in = MPI.newIntBuffer(2);
            c.iNeighborAllGather(out, 1, MPI.INT, in, 1, MPI.INT).waitFor();
            same(in.get(0), before);
            int[] v = new int[3];
            c.neighborAllGatherv(new int[] {me}, 1, MPI.INT, v, new int[] {1, 1}, new int[] {2, 0}, MPI.INT);
            same(v, new int[] {next, 0, before});
            same(c.sub(new boolean[] {true}).getSize(), n);
            same(c.dup().getTopology(), MPI.CART);
            CartComm line = w.createCart(new int[] {n}, new boolean[] {false}, false);
            if (me == 0) same(line.shift(0, 1).getRankSource(), MPI.PROC_NULL);
            same(w.createCart(new int[] {1}, new boolean[] {true}, false).isNull(), me != 0);
        });
        fact("graphsKnowTheirEdges", () -> {
            int[] index = new int[n], edges = new int[n];
            for (int r = 0; r < n; r++) {
                index[r] = r + 1;
                edges[r] = (r + 1) % n;
            }
            GraphComm g = w.createGraph(index, edges, false);
            same(g.getTopology(), MPI.GRAPH);
            same(g.getNeighbors(me), new int[] {next});
            same(g.getDims().getIndexCount(), n);
            same(g.getDims().getEdge(me), next);
            GraphComm d = w.createDistGraphAdjacent(
                    new int[] {before}, new int[] {4}, new int[] {next}, new int[] {5}, MPI.INFO_NULL, false);
            DistGraphNeighbors all = d.getDistGraphNeighbors();
            same(all.getInDegree(), 1);
            same(all.getSource(0), before);
            same(all.getSourceWeight(0), 4);
            same(all.getDestination(0), next);
            same(all.getDestinationWeight(0), 5);
            same(all.isWeighted(), true);
            int[] got = new int[1];
            d.neighborAllToAll(new int[] {me}, 1, MPI.INT, got, 1, MPI.INT);
            same(got[0], before);
            same(w.createDistGraph(new int[] {me}, new int[] {1}, new int[] {next}, MPI.INFO_NULL, false)
                    .getDistGraphNeighbors().getOutDegree(), 1);
        });
        fact("errorHandlersAreInherited", () -> {
            same(w.dup().getErrhandler(), MPI.ERRORS_RETURN);
            w.callErrhandler(MPI.ERR_OTHER);
            same(MPI.COMM_SELF.getErrhandler(), MPI.ERRORS_ARE_FATAL);
        });
        fact("theMachineIsKnown", () -> {
            same(MPI.getProcessorName().isEmpty(), false);
            same(MPI.wtime() <= MPI.wtime(), true);
            same(MPI.wtick() > 0, true);
            same(MPI.getVersion().getVersion(), 3);
            same(MPI.getLibVersion().isEmpty(), false);
            same(MPI.isThreadMain(), true);
            same(MPI.queryThread(), MPI.THREAD_SINGLE);
        });
        fact("windowsArePutTo", () -> {
            IntBuffer mem = MPI.newIntBuffer(2), one = MPI.newIntBuffer(1).put(0, 100 + me), old = MPI.newIntBuffer(1);
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            win.fence(0);
            win.put(one, 1, MPI.INT, next, 1, 1, MPI.INT);
            win.fence(0);
            same(mem.get(1), 100 + before);
            win.get(old, 1, MPI.INT, next, 1, 1, MPI.INT);
            win.fence(0);
            same(old.get(0), 100 + me);
            win.accumulate(MPI.newIntBuffer(1).put(0, 1), 1, MPI.INT, 0, 0, 1, MPI.INT, MPI.SUM);
            win.fence(0);
            if (me == 0) same(mem.get(0), n);
            w.barrier();
            win.lock(MPI.LOCK_EXCLUSIVE, 0, 0);
            win.fetchAndOp(MPI.newIntBuffer(1).put(0, 1), old, MPI.INT, 0, 0, MPI.SUM);
            win.unlock(0);
            same(old.get(0) >= n, true);
            w.barrier();
            win.lockAll(0);
            win.rPut(one, 1, MPI.INT, next, 1, 1, MPI.INT).waitFor();
            win.flush(next);
            win.unlockAll();
            same(win.getAttr(MPI.WIN_SIZE), 8);
            same(win.getAttr(MPI.WIN_DISP_UNIT), 4);
            same(win.getGroup().getSize(), n);
            fails(IllegalArgumentException.class, () -> win.put(one, 1, MPI.INT, next, 1, 1, MPI.DOUBLE));
            fails(UnsupportedOperationException.class, () -> win.attach(mem, 1));
            w.barrier();
            win.free();
        });
        fact("windowsStartAndPost", () -> {
            DoubleBuffer mem = MPI.newDoubleBuffer(1);
            Win win = new Win(1, 1, MPI.INFO_NULL, w, mem, Win.FLAVOR_PRIVATE);
            Group from = w.getGroup().incl(new int[] {before}), to = w.getGroup().incl(new int[] {next});
            win.post(from, 0);
            win.start(to, 0);
            win.put(MPI.newDoubleBuffer(1).put(0, me), 1, MPI.DOUBLE, next, 0, 1, MPI.DOUBLE);
            win.complete();
            win.waitFor();
            same(mem.get(0), (double) before);
            win.free();
        });
        fact("filesAreWrittenTogether", () -> {
            String path = args[0];
            File f = new File(w, path, MPI.MODE_CREATE | MPI.MODE_RDWR);
            f.setView(8L * me, MPI.DOUBLE, Datatype.createResized(MPI.DOUBLE, 0, 8 * n), "native");
            f.writeAll(new double[] {me, me + .5}, 2, MPI.DOUBLE);
            double[] got = new double[2];
            same(f.readAt(0, got, 2, MPI.DOUBLE).getCount(MPI.DOUBLE), 2);
            same(got, new double[] {me, me + .5});
            same(f.getPosition(), 2L);
            f.seek(0, MPI.SEEK_SET);
            same(f.getByteOffset(1), 8L * (me + n));
            DoubleBuffer in = MPI.newDoubleBuffer(1);
            f.iReadAt(1, in, 1, MPI.DOUBLE).waitFor();
            same(in.get(0), me + .5);
            f.readAtAllBegin(0, got, 2, MPI.DOUBLE);
            same(f.readAtAllEnd(got).getCount(MPI.DOUBLE), 2);
            same(f.getSize(), 16L * n);
            same(f.getView().getDisp(), 8L * me);
            f.close();
            w.barrier();
            if (me == 0) File.delete(path);
            w.barrier();
            MPIException e = fails(MPIException.class, () -> new File(w, path, MPI.MODE_RDONLY));
            same(e.getErrorClass(), MPI.ERR_NO_SUCH_FILE);
        });
        MPI.Finalize();
    }
}
