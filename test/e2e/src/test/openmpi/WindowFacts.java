// Facts about windows of Open MPI's Java bindings, for OpenMpiJavaTest. Rank 0 prints a line for each fact that
// holds.

import java.nio.*;
import java.util.*;
import mpi.*;

public class WindowFacts extends OpenMpiFacts {
    static final int ROUNDS = 20;

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();

        fact("anExclusiveLockIsForOne", () -> {
            IntBuffer mem = MPI.newIntBuffer(1), mine = MPI.newIntBuffer(1);
            Win win = new Win(mem, 1, 1, MPI.INFO_NULL, w);
            for (int i = 0; i < ROUNDS; i++) {
                win.lock(MPI.LOCK_EXCLUSIVE, 0, 0);
                win.get(mine, 1, MPI.INT, 0, 0, 1, MPI.INT);
                win.flush(0);
                mine.put(0, mine.get(0) + 1);
                win.put(mine, 1, MPI.INT, 0, 0, 1, MPI.INT);
                win.unlock(0);
            }
            w.barrier();
            win.lock(MPI.LOCK_SHARED, 0, MPI.MODE_NOCHECK);
            win.get(mine, 1, MPI.INT, 0, 0, 1, MPI.INT);
            win.flushLocal(0);
            same(mine.get(0), n * ROUNDS);
            win.unlock(0);
            w.barrier();
            win.free();
        });
        fact("flushesEndWhatWasBegun", () -> {
            LongBuffer mem = MPI.newLongBuffer(2), one = MPI.newLongBuffer(1).put(0, 1L << 40), got = MPI.newLongBuffer(1);
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.lockAll(MPI.MODE_NOCHECK);
            win.put(one, 1, MPI.LONG, next, 1, 1, MPI.LONG);
            win.flushLocalAll();
            win.flushAll();
            win.get(got, 1, MPI.LONG, next, 1, 1, MPI.LONG);
            win.flush(next);
            same(got.get(0), 1L << 40);
            w.barrier();
            win.sync();
            same(mem.get(1), 1L << 40);
            win.unlockAll();
            w.barrier();
            win.free();
        });
        fact("valuesAreFetchedAndCombined", () -> {
            IntBuffer mem = MPI.newIntBuffer(2), two = MPI.newIntBuffer(2).put(0, 1).put(1, 2), old = MPI.newIntBuffer(2);
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.lockAll(0);
            for (int i = 0; i < ROUNDS; i++) {
                win.getAccumulate(two, 2, MPI.INT, old, 2, MPI.INT, 0, 0, 2, MPI.INT, MPI.SUM);
                win.flush(0);
                same(old.get(1), 2 * old.get(0)); // one operation changed the two elements
            }
            w.barrier();
            win.getAccumulate(two, 2, MPI.INT, old, 2, MPI.INT, 0, 0, 2, MPI.INT, MPI.NO_OP);
            win.flush(0);
            same(old.get(0), n * ROUNDS);
            win.fetchAndOp(two, old, MPI.INT, 0, 1, MPI.NO_OP);
            win.flush(0);
            same(old.get(0), 2 * n * ROUNDS);
            w.barrier();
            win.fetchAndOp(two, old, MPI.INT, next, 0, MPI.REPLACE);
            win.unlockAll();
            w.barrier();
            win.free();
        });
        fact("oneOfManyWinsASwap", () -> {
            IntBuffer mem = MPI.newIntBuffer(1).put(0, -1), id = MPI.newIntBuffer(1).put(0, me);
            IntBuffer free = MPI.newIntBuffer(1).put(0, -1), old = MPI.newIntBuffer(1);
            Win win = new Win(mem, 1, 1, MPI.INFO_NULL, w);
            w.barrier();
            win.lock(MPI.LOCK_SHARED, 0, 0);
            win.compareAndSwap(id, free, old, MPI.INT, 0, 0);
            win.unlock(0);
            int[] winners = {old.get(0) == -1 ? 1 : 0};
            w.allReduce(winners, 1, MPI.INT, MPI.SUM);
            same(winners[0], 1);
            win.free();
        });
        fact("requestsOfAWindowEnd", () -> {
            DoubleBuffer mem = MPI.newDoubleBuffer(2), x = MPI.newDoubleBuffer(2).put(0, me).put(1, .5), y = MPI.newDoubleBuffer(2);
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.lockAll(0);
            win.rPut(x, 2, MPI.DOUBLE, next, 0, 2, MPI.DOUBLE).waitFor();
            win.flush(next);
            win.rGet(y, 2, MPI.DOUBLE, next, 0, 2, MPI.DOUBLE).waitFor();
            same(y.get(0), (double) me);
            win.rAccumulate(x, 1, MPI.DOUBLE, next, 1, 1, MPI.DOUBLE, MPI.SUM).waitFor();
            win.flush(next);
            Request r = win.rGetAccumulate(x, 1, MPI.DOUBLE, y, 1, MPI.DOUBLE, next, 1, 1, MPI.DOUBLE, MPI.MAX);
            r.waitFor();
            same(r.isNull(), true);
            same(y.get(0), me + .5);
            win.unlockAll();
            w.barrier();
            win.free();
        });
        fact("derivedTypesLieInWindows", () -> {
            IntBuffer mem = MPI.newIntBuffer(6), row = MPI.newIntBuffer(3).put(0, 1).put(1, 2).put(2, 3);
            Datatype column = Datatype.createVector(3, 1, 2, MPI.INT);
            column.commit();
            Win win = new Win(mem, 6, 1, MPI.INFO_NULL, w);
            win.fence(MPI.MODE_NOPRECEDE);
            win.put(row, 3, MPI.INT, next, 1, 1, column);
            win.fence(MPI.MODE_NOSUCCEED);
            int[] all = new int[6];
            mem.get(0, all);
            same(all, new int[] {0, 1, 0, 2, 0, 3});
            win.free();
        });
        fact("aPostIsTestedFor", () -> {
            IntBuffer mem = MPI.newIntBuffer(1);
            Win win = new Win(mem, 1, 1, MPI.INFO_NULL, w);
            Group from = w.getGroup().incl(new int[] {before}), to = w.getGroup().incl(new int[] {next});
            win.post(from, 0);
            win.start(to, 0);
            win.accumulate(MPI.newIntBuffer(1).put(0, 7), 1, MPI.INT, next, 0, 1, MPI.INT, MPI.REPLACE);
            win.complete();
            while (!win.test()) Thread.onSpinWait();
            same(mem.get(0), 7);
            win.free();
        });
        fact("bothFlavorsUseTheBuffer", () -> {
            for (int flavor : new int[] {Win.FLAVOR_PRIVATE, Win.FLAVOR_SHARED}) {
                IntBuffer mem = MPI.newIntBuffer(2);
                Win win = new Win(2, 1, MPI.INFO_NULL, w, mem, flavor);
                win.fence(0);
                win.put(MPI.newIntBuffer(1).put(0, me + flavor), 1, MPI.INT, next, 1, 1, MPI.INT);
                win.fence(0);
                same(mem.get(1), before + flavor);
                win.free();
            }
        });
        fact("aDynamicWindowSaysWhatItCannot", () -> {
            if (MPI.getLibVersion().contains("Open MPI")) { // dynamic windows of Open MPI are not safe
                code(MPI.ERR_OTHER, () -> new Win(MPI.INFO_NULL, w));
                return;
            }
            Win win = new Win(MPI.INFO_NULL, w);
            IntBuffer mem = MPI.newIntBuffer(1);
            String message = fails(UnsupportedOperationException.class, () -> win.attach(mem, 1)).getMessage();
            same(message.startsWith("mpi.Win.attach: "), true);
            fails(UnsupportedOperationException.class, () -> win.detach(mem));
            win.free();
        });
        fact("mistakesWithWindowsHaveTheirClass", () -> {
            IntBuffer mem = MPI.newIntBuffer(1);
            Win win = new Win(mem, 1, 1, MPI.INFO_NULL, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            same(win.getErrhandler(), MPI.ERRORS_RETURN);
            code(MPI.ERR_LOCKTYPE, () -> win.lock(77, 0, 0));
            code(MPI.ERR_RMA_SYNC, () -> win.put(mem, 1, MPI.INT, 0, 0, 1, MPI.INT));
            code(MPI.ERR_RMA_SYNC, () -> win.unlock(0));
            win.fence(0);
            code(MPI.ERR_RANK, () -> win.put(mem, 1, MPI.INT, n, 0, 1, MPI.INT));
            fails(MPIException.class, () -> win.put(mem, 1, MPI.INT, me, 1, 1, MPI.INT)); // beyond the end
            fails(IllegalArgumentException.class, () -> win.get(IntBuffer.allocate(1), 1, MPI.INT, me, 0, 1, MPI.INT));
            fails(IllegalArgumentException.class, () -> new Win(IntBuffer.allocate(1), 1, 1, MPI.INFO_NULL, w));
            code(MPI.ERR_SIZE, () -> new Win(mem, -1, 1, MPI.INFO_NULL, w));
            win.fence(0);
            win.free();
            code(MPI.ERR_WIN, () -> win.fence(0));
        });
        fact("windowsHaveNamesInfosAndAttributes", () -> {
            Win win = new Win(MPI.newByteBuffer(8), 8, 2, MPI.INFO_NULL, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            win.setName("mine");
            same(win.getName(), "mine");
            Info info = new Info();
            info.set("no_locks", "false");
            win.setInfo(info);
            same(win.getInfo().get("no_locks"), "false");
            int key = Win.createKeyval();
            win.setAttr(key, "value");
            same(win.getAttr(key), "value");
            win.deleteAttr(key);
            same(win.getAttr(key), null);
            Win.freeKeyval(key);
            same(win.getAttr(MPI.WIN_DISP_UNIT), 2);
            win.callErrhandler(MPI.ERR_OTHER);
            same(Group.compare(win.getGroup(), w.getGroup()), MPI.IDENT);
            win.free();
        });
        MPI.Finalize();
    }
}
