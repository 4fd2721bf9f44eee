// Behavior of Open MPI's Java bindings that violates or extends the standard, and on which programs rely: one
// small program for each kind. For DropInLenientTest. Rank 0 prints a line for each fact.

import java.nio.*;
import java.util.*;
import mpi.*;

public class LenientFacts extends OpenMpiFacts {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();
        if (args.length > 0 && args[0].equals("scatter")) scatter();
        if (args.length > 0 && args[0].equals("exit")) {
            if (me > 0) return;
            w.barrier();
        }
        requests();
        errorHandlers();
        keyvals();
        operations();
        windows();
        addresses();
        environment();
        MPI.Finalize();
    }

    static void requests() throws Exception {
        fact("aCompletedRequestCanBeFreed", () -> {
            IntBuffer x = MPI.newIntBuffer(1).put(0, me);
            Request bcast = w.iBcast(x, 1, MPI.INT, 0);
            bcast.waitFor();
            bcast.free();
            same(bcast.isNull(), true);
            Request tested = w.iBarrier();
            while (!tested.test()) Thread.onSpinWait();
            tested.free();
            Request[] all = {w.iBarrier(), w.iBarrier()};
            Request.waitAll(all);
            for (Request r : all) r.free();
            Request any = w.iBarrier();
            Request.waitAny(new Request[] {any});
            any.free();
            Prequest persistent = w.sendInit(x, 1, MPI.INT, MPI.PROC_NULL, 0);
            persistent.free();
            persistent.free();
            MPI.REQUEST_NULL.free();
        });
    }

    static void errorHandlers() throws Exception {
        fact("anErrorGoesToTheHandlerOfItsCommunicator", () -> {
            Intracomm c = w.dup();
            int key = Comm.createKeyval();
            int[] x = new int[2];
            IntBuffer direct = MPI.newIntBuffer(2);
            Op freed = new Op(new UserFunction() {}, true);
            freed.free();
            Datatype freedType = Datatype.createContiguous(2, MPI.INT);
            freedType.free();
            Win win = new Win(direct, 2, 1, MPI.INFO_NULL, c);
            win.setErrhandler(MPI.ERRORS_RETURN);
            w.setErrhandler(MPI.ERRORS_ARE_FATAL); // would end the job
            c.setErrhandler(MPI.ERRORS_RETURN);
            code(MPI.ERR_KEYVAL, () -> c.getAttr(MPI.KEYVAL_INVALID));
            code(MPI.ERR_KEYVAL, () -> c.setAttr(key + 1000, "x"));
            code(MPI.ERR_KEYVAL, () -> c.deleteAttr(key + 1000));
            code(MPI.ERR_OTHER, () -> c.setAttr(key, new Object()));
            code(MPI.ERR_COUNT, () -> c.send(x, -1, MPI.INT, me, 0));
            code(MPI.ERR_COUNT, () -> c.iSend(direct, -1, MPI.INT, me, 0));
            code(MPI.ERR_COUNT, () -> c.sendRecv(x, -1, MPI.INT, me, 0, x, 1, MPI.INT, me, 0));
            code(MPI.ERR_COUNT, () -> c.bcast(x, -1, MPI.INT, 0));
            code(MPI.ERR_COUNT, () -> c.gatherv(x, 1, MPI.INT, x, minus(c), new int[n], MPI.INT, me));
            code(MPI.ERR_TYPE, () -> c.recv(x, 1, freedType, me, 0));
            code(MPI.ERR_TYPE, () -> c.pack(x, 1, freedType, new byte[8], 0));
            code(MPI.ERR_TRUNCATE, () -> c.pack(x, 2, MPI.INT, new byte[4], 0));
            code(MPI.ERR_OP, () -> c.allReduce(x, 1, MPI.INT, freed));
            code(MPI.ERR_KEYVAL, () -> win.getAttr(key)); // a keyval of communicators
            code(MPI.ERR_TYPE, () -> win.put(direct, 1, freedType, me, 0, 1, freedType));
            code(MPI.ERR_COUNT, () -> win.put(direct, -1, MPI.INT, me, 0, 1, MPI.INT));
            code(MPI.ERR_OP, () -> win.accumulate(direct, 1, MPI.INT, me, 0, 1, MPI.INT, freed));
            w.setErrhandler(MPI.ERRORS_RETURN);
            Comm.freeKeyval(key);
            win.free();
            c.free();
        });
    }

    static int[] minus(Comm c) throws MPIException {
        int[] counts = new int[c.getSize()];
        counts[0] = -1;
        return counts;
    }

    static void keyvals() throws Exception {
        fact("aFreedKeyvalIsValidWhileAnObjectHasTheAttribute", () -> {
            int key = Comm.createKeyval();
            Intracomm c = w.dup();
            c.setAttr(key, "value");
            Comm.freeKeyval(key);
            same(c.getAttr(key), "value");
            Intracomm copy = c.dup();
            c.setAttr(key, "other");
            c.deleteAttr(key);
            same(copy.getAttr(key), "value");
            copy.free();
            code(MPI.ERR_KEYVAL, () -> c.getAttr(key));
            code(MPI.ERR_KEYVAL, () -> Comm.freeKeyval(key));
            c.free();
            int ofTypes = Datatype.createKeyval();
            Datatype pair = Datatype.createContiguous(2, MPI.INT), twin;
            pair.setAttr(ofTypes, List.of(1));
            twin = pair.dup();
            Datatype.freeKeyval(ofTypes);
            pair.free();
            same(twin.getAttr(ofTypes), List.of(1));
            code(MPI.ERR_KEYVAL, () -> w.getAttr(ofTypes)); // a keyval is valid for one kind of object
            twin.free();
            code(MPI.ERR_KEYVAL, () -> MPI.INT.getAttr(ofTypes));
        });
        fact("whatIsNotAnAttributeCannotBeDeleted", () -> {
            int key = Comm.createKeyval();
            code(MPI.ERR_OTHER, () -> w.deleteAttr(key));
            Comm.freeKeyval(key);
        });
    }

    /** Overrides the two methods, like much published code; each method handles other types. */
    static class BothMethods extends UserFunction {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            if (!(inOut instanceof boolean[])) return; // ignores all other types
            boolean[] a = (boolean[]) in, b = (boolean[]) inOut;
            for (int i = 0; i < count; i++) b[i] |= a[i];
        }

        @Override
        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) throws MPIException {
            if (type == MPI.BOOLEAN) throw new IllegalStateException("booleans are passed as arrays");
            if (type == MPI.INT) for (int i = 0; i < count; i++) inOut.putInt(4 * i, in.getInt(4 * i) + inOut.getInt(4 * i));
            if (type == MPI.DOUBLE) {
                for (int i = 0; i < count; i++) inOut.putDouble(8 * i, in.getDouble(8 * i) + inOut.getDouble(8 * i));
            }
            if (type == MPI.BYTE) for (int i = 0; i < count; i++) inOut.put(i, (byte) (in.get(i) + inOut.get(i)));
            if (type == MPI.INT2) for (int i = 0; i < 2 * count; i++) inOut.putInt(4 * i, in.getInt(4 * i) + inOut.getInt(4 * i));
        }
    }

    static class ArraysOnly extends UserFunction {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            for (int i = 0; i < count; i++) ((int[]) inOut)[i] += ((int[]) in)[i];
        }
    }

    static class BytesOnly extends UserFunction {
        @Override
        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
            for (int i = 0; i < count; i++) inOut.put(i, (byte) (in.get(i) | inOut.get(i)));
        }
    }

    static class InheritsBoth extends BothMethods {}

    static void operations() throws Exception {
        int sum = n * (n + 1) / 2;
        for (UserFunction f : new UserFunction[] {new BothMethods(), new InheritsBoth()}) {
            fact(f.getClass().getSimpleName() + "GetsBytesOfAllTypesButBooleans", () -> {
                Op op = new Op(f, true);
                int[] ints = {me + 1, 2};
                w.allReduce(ints, 2, MPI.INT, op);
                same(ints, new int[] {sum, 2 * n});
                double[] doubles = {me + 1};
                w.allReduce(doubles, 1, MPI.DOUBLE, op);
                same(doubles[0], (double) sum);
                byte[] bytes = {(byte) (me + 1)};
                w.allReduce(bytes, 1, MPI.BYTE, op);
                same(bytes[0], (byte) sum);
                boolean[] booleans = {me == 0, false};
                w.allReduce(booleans, 2, MPI.BOOLEAN, op);
                same(booleans, new boolean[] {true, false});
                int[] pair = {1, me};
                w.allReduce(pair, 1, MPI.INT2, op);
                same(pair, new int[] {n, sum - n});
                int[] scan = {1};
                w.scan(scan, 1, MPI.INT, op);
                same(scan[0], me + 1);
                int[] local = {1}, result = {2};
                Comm.reduceLocal(local, result, 1, MPI.INT, op);
                same(result[0], 3);
                op.free();
            });
        }
        fact("oneOverriddenMethodServesAllTypes", () -> {
            int[] x = {me + 1};
            w.allReduce(x, 1, MPI.INT, new Op(new ArraysOnly(), true));
            same(x[0], sum);
            boolean[] b = {me == n - 1};
            w.allReduce(b, 1, MPI.BOOLEAN, new Op(new BytesOnly(), true));
            same(b[0], true);
        });
    }

    /** Returns whether windows share memory; over a library, the owner must synchronize (see the page). */
    static boolean sharesMemory() {
        return MPI.getLibVersion().contains("shm");
    }

    static void windows() throws Exception {
        fact("bufferMemoryIsUnified", () -> {
            if (!sharesMemory()) return;
            IntBuffer mem = MPI.newIntBuffer(4), seven = MPI.newIntBuffer(1).put(0, 7);
            Win win = new Win(mem, 4, 1, MPI.INFO_NULL, w);
            win.lock(MPI.LOCK_EXCLUSIVE, next, 0);
            win.put(seven, 1, MPI.INT, next, 1, 1, MPI.INT);
            win.unlock(next);
            w.barrier();
            same(mem.get(1), 7); // the owner has made no call that synchronizes
            mem.put(2, 100 + me);
            w.barrier();
            win.lock(MPI.LOCK_SHARED, next, 0);
            win.get(seven, 1, MPI.INT, next, 2, 1, MPI.INT);
            win.unlock(next);
            same(seven.get(0), 100 + next);
            w.barrier();
            win.free();
            same(mem.get(1), 7);
        });
        fact("aSliceOfBufferMemoryIsUnified", () -> {
            if (!sharesMemory()) return;
            ByteBuffer all = MPI.newByteBuffer(64);
            DoubleBuffer part = MPI.slice(all, 16).asDoubleBuffer();
            Win win = new Win(part, 2, 1, MPI.INFO_NULL, w);
            win.lockAll(0);
            win.put(MPI.newDoubleBuffer(1).put(0, me + .5), 1, MPI.DOUBLE, next, 1, 1, MPI.DOUBLE);
            win.unlockAll();
            w.barrier();
            same(all.getDouble(24), before + .5);
            win.free();
        });
        fact("otherMemoryIsSeenAfterSync", () -> {
            IntBuffer mem = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asIntBuffer();
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.lock(MPI.LOCK_EXCLUSIVE, next, 0);
            win.put(MPI.newIntBuffer(1).put(0, 7), 1, MPI.INT, next, 1, 1, MPI.INT);
            win.unlock(next);
            w.barrier();
            win.lock(MPI.LOCK_SHARED, me, 0);
            same(mem.get(1), 7);
            win.unlock(me);
            w.barrier();
            win.free();
        });
        fact("eachRankChoosesItsMemory", () -> {
            IntBuffer mem = me == 0
                    ? MPI.newIntBuffer(2)
                    : ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asIntBuffer();
            Win win = new Win(mem, me == n - 1 && n > 1 ? 0 : 2, 1, MPI.INFO_NULL, w);
            win.fence(0);
            if (me == n - 1) win.put(MPI.newIntBuffer(1).put(0, 3), 1, MPI.INT, 0, 1, 1, MPI.INT);
            win.fence(0);
            if (me == 0) same(mem.get(1), 3);
            win.free();
        });
        fact("theAllocatingConstructorTakesAnEmptyBuffer", () -> {
            for (int flavor : new int[] {Win.FLAVOR_PRIVATE, Win.FLAVOR_SHARED}) {
                Win win = new Win(4, 1, MPI.INFO_NULL, w, MPI.newIntBuffer(0), flavor);
                IntBuffer x = MPI.newIntBuffer(1).put(0, me);
                win.fence(0);
                win.put(x, 1, MPI.INT, next, 3, 1, MPI.INT);
                win.fence(0);
                win.get(x, 1, MPI.INT, me, 3, 1, MPI.INT);
                win.fence(0);
                same(x.get(0), before);
                same(win.getAttr(MPI.WIN_SIZE), 16);
                win.free();
            }
        });
        fact("aWindowMayBeLargerThanItsBuffer", () -> {
            IntBuffer mem = MPI.newIntBuffer(2);
            Win win = new Win(mem, 8, 1, MPI.INFO_NULL, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            same(win.getAttr(MPI.WIN_SIZE), 32);
            win.fence(0);
            win.put(MPI.newIntBuffer(1).put(0, 5), 1, MPI.INT, next, 1, 1, MPI.INT);
            win.fence(0);
            same(mem.get(1), 5);
            fails(MPIException.class, () -> win.put(mem, 1, MPI.INT, next, 2, 1, MPI.INT)); // differs: an error
            win.fence(0);
            win.free();
        });
        fact("noLocksForbidsLocks", () -> {
            Info info = new Info();
            info.set("no_locks", "true");
            Win win = new Win(MPI.newIntBuffer(1), 1, 1, info, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            code(MPI.ERR_RMA_SYNC, () -> win.lock(MPI.LOCK_SHARED, 0, 0));
            code(MPI.ERR_RMA_SYNC, () -> win.lockAll(0));
            same(win.getInfo().get("no_locks"), "true");
            win.fence(0);
            win.fence(0);
            win.free();
        });
        fact("requestsWorkInAFenceEpoch", () -> {
            IntBuffer mem = MPI.newIntBuffer(2), x = MPI.newIntBuffer(1).put(0, me + 1), y = MPI.newIntBuffer(1);
            Win win = new Win(mem, 2, 1, MPI.INFO_NULL, w);
            win.setErrhandler(MPI.ERRORS_RETURN);
            code(MPI.ERR_RMA_SYNC, () -> win.rPut(x, 1, MPI.INT, next, 0, 1, MPI.INT)); // outside of an epoch
            win.fence(0);
            Request put = win.rPut(x, 1, MPI.INT, next, 0, 1, MPI.INT);
            same(put.isNull(), false);
            put.waitFor();
            same(put.isNull(), true);
            win.rAccumulate(x, 1, MPI.INT, next, 1, 1, MPI.INT, MPI.SUM).waitFor();
            win.fence(0);
            same(mem.get(0), before + 1);
            same(mem.get(1), before + 1);
            Request.waitAll(new Request[] {win.rGet(y, 1, MPI.INT, next, 0, 1, MPI.INT)});
            win.fence(0);
            same(y.get(0), me + 1);
            win.free();
        });
    }

    /** Ends the job by a scatter with receive buffers for more elements than the root sends. */
    static void scatter() throws MPIException {
        int[] all = new int[2 * n], mine = new int[5];
        w.scatter(all, 2, MPI.INT, mine, me == 0 ? 2 : 5, MPI.INT, 0);
        w.barrier();
    }

    static void addresses() throws Exception {
        fact("aTypeMayBeginBeforeASlice", () -> {
            Datatype backwards = Datatype.createVector(3, 1, -2, MPI.INT);
            backwards.commit();
            int[] x = {1, 2, 3, 4, 5}, got = new int[3];
            w.sendRecv(MPI.slice(x, 4), 1, backwards, next, 0, got, 3, MPI.INT, before, 0);
            same(got, new int[] {5, 3, 1});
            IntBuffer direct = MPI.newIntBuffer(5).put(x), end = MPI.slice(direct, 4);
            w.sendRecv(end, 1, backwards, next, 0, got, 3, MPI.INT, before, 0);
            same(got, new int[] {5, 3, 1});
            IntBuffer plain = ByteBuffer.allocateDirect(20).order(ByteOrder.nativeOrder()).asIntBuffer();
            IntBuffer last = MPI.slice(plain, 4); // differs: memory of other buffers begins with the slice
            fails(ArrayIndexOutOfBoundsException.class, () -> w.send(last, 1, backwards, next, 0));
            backwards.free();
        });
        fact("aNameMayBeUnpublishedAfterItsPort", () -> {
            if (me > 0) return;
            String port = Intracomm.openPort();
            Intracomm.publishName("lenient-facts", port);
            Intracomm.closePort(port);
            Intracomm.unpublishName("lenient-facts", port);
            code(MPI.ERR_PORT, () -> Intracomm.unpublishName("lenient-facts", port)); // only once
        });
    }

    static void environment() throws Exception {
        fact("theCommandIsTheProgram", () -> same(MPI.INFO_ENV.get("command"), LenientFacts.class.getName()));
        fact("ranksHaveTheVariablesOfOpenMpisLauncher", () -> {
            if (System.getenv("TUTTI_API") == null) return; // started without --with openmpi-java
            same(System.getenv("OMPI_COMM_WORLD_RANK"), "" + me);
            same(System.getenv("OMPI_COMM_WORLD_SIZE"), "" + n);
            same(System.getenv("OMPI_COMM_WORLD_LOCAL_RANK"), "" + me);
            same(System.getenv("OMPI_COMM_WORLD_LOCAL_SIZE"), "" + n);
            same(System.getenv("OMPI_COMM_WORLD_NODE_RANK"), "" + me);
        });
    }
}
