// Facts about spawned processes, ports and two groups in Open MPI's Java bindings, for OpenMpiJavaTest. Rank 0
// prints a line for each fact that holds. With the argument "child", it is the program of a spawned process.

import java.nio.*;
import java.util.*;
import mpi.*;

public class ProcessFacts extends OpenMpiFacts {
    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        begin();
        if (args[0].equals("child")) {
            child(args[1]);
            return;
        }

        boolean spawns = !MPI.getLibVersion().contains("MPICH"); // MPICH spawns over UCX from 4.3 on
        fact("childrenKnowTheirParents", () -> {
            if (!spawns) return;
            int[] codes = {-1, -1};
            Intercomm children = w.spawn("java", new String[] {"ProcessFacts", "child", "sum"}, 2, MPI.INFO_NULL, 0, codes);
            same(codes, new int[] {MPI.SUCCESS, MPI.SUCCESS});
            same(children.isInter(), true);
            same(children.getRemoteSize(), 2);
            children.bcast(new int[] {40}, 1, MPI.INT, me == 0 ? MPI.ROOT : MPI.PROC_NULL);
            int[] sum = new int[1];
            children.allReduce(new int[] {me}, sum, 1, MPI.INT, MPI.SUM);
            same(sum[0], 81); // the sum of the children
            children.disconnect();
        });
        fact("childrenMerge", () -> {
            if (!spawns) return;
            Intercomm children = w.spawn("ProcessFacts", new String[] {"child", "merge"}, 1, MPI.INFO_NULL, 0, null);
            Intracomm all = children.merge(false);
            same(all.getSize(), n + 1);
            same(all.getRank(), me);
            int[] got = new int[n + 1];
            all.allGather(new int[] {me}, 1, MPI.INT, got, 1, MPI.INT);
            same(got[n], 99);
            all.free();
            children.disconnect();
        });
        fact("severalProgramsAreSpawnedAtOnce", () -> {
            if (!spawns) return;
            String[] commands = {"java", "ProcessFacts"};
            String[][] arguments = {{"ProcessFacts", "child", "place"}, {"child", "place"}};
            Intercomm children = w.spawnMultiple(commands, arguments, new int[] {1, 1}, new Info[] {MPI.INFO_NULL, MPI.INFO_NULL}, 0, new int[2]);
            same(children.getRemoteSize(), 2);
            if (me == 0) {
                int[] place = new int[1];
                for (int r = 0; r < 2; r++) {
                    children.recv(place, 1, MPI.INT, r, 5);
                    same(place[0], r);
                }
            }
            children.disconnect();
        });
        fact("twoJobsMeetAtAPort", () -> {
            if (n < 2) return;
            Intracomm half = w.split(me == 0 ? 0 : 1, me);
            byte[] name = new byte[MPI.MAX_PORT_NAME];
            String port = "";
            if (me == 0) {
                port = Intracomm.openPort();
                byte[] text = port.getBytes();
                System.arraycopy(text, 0, name, 0, text.length);
            }
            w.bcast(name, name.length, MPI.BYTE, 0);
            String there = new String(name).trim();
            Intercomm both = me == 0 ? half.accept(port, 0) : half.connect(there, 0);
            same(both.getRemoteSize(), me == 0 ? n - 1 : 1);
            if (me == 0) both.send(new int[] {5}, 1, MPI.INT, 0, 3);
            if (me == 1) {
                int[] got = new int[1];
                same(both.recv(got, 1, MPI.INT, 0, 3).getSource(), 0);
                same(got[0], 5);
            }
            both.disconnect();
            if (me == 0) Intracomm.closePort(port);
        });
        fact("aServiceHasAName", () -> {
            if (me == 0) {
                String port = Intracomm.openPort(MPI.INFO_NULL);
                Intracomm.publishName("facts", port);
                same(Intracomm.lookupName("facts"), port);
                Intracomm.unpublishName("facts", MPI.INFO_NULL, port);
                code(MPI.ERR_NAME, () -> Intracomm.lookupName("facts"));
                Intracomm.closePort(port);
                code(MPI.ERR_PORT, () -> Intracomm.closePort(port));
            }
        });
        fact("groupsFaceEachOther", () -> {
            if (n < 2) return;
            Intracomm half = w.split(me % 2, me);
            Intercomm both = w.createIntercomm(half, 0, 1 - me % 2, 7);
            both.setErrhandler(MPI.ERRORS_RETURN);
            int here = me / 2, there = both.getRemoteSize();
            // each rank exchanges data with the rank of the same number in the other group, if that rank exists
            int peer = here < there ? here : MPI.PROC_NULL;
            int[] got = {-1};
            both.sendRecv(new int[] {me}, 1, MPI.INT, peer, 1, got, 1, MPI.INT, peer, 1);
            same(got[0], peer == MPI.PROC_NULL ? -1 : 2 * here + 1 - me % 2);
            int[] all = new int[there];
            both.allGather(new int[] {me}, 1, MPI.INT, all, 1, MPI.INT);
            for (int r = 0; r < there; r++) same(all[r], 2 * r + 1 - me % 2);
            Intercomm copy = both.dup();
            same(Comm.compare(both, copy), MPI.CONGRUENT);
            code(MPI.ERR_RANK, () -> copy.send(new int[1], 1, MPI.INT, there, 0));
            copy.barrier();
            copy.free();
            both.free();
        });
        MPI.Finalize();
    }

    static void child(String mode) throws Exception {
        Intercomm parent = Intercomm.getParent();
        if (parent.isNull()) throw new AssertionError("no parent");
        switch (mode) {
            case "sum" -> {
                int[] x = new int[1], sum = new int[1];
                parent.bcast(x, 1, MPI.INT, 0);
                x[0] += me;
                parent.allReduce(x, sum, 1, MPI.INT, MPI.SUM);
                int parents = parent.getRemoteSize();
                same(sum[0], parents * (parents - 1) / 2);
            }
            case "merge" -> {
                Intracomm all = parent.merge(true);
                all.allGather(new int[] {99}, 1, MPI.INT, new int[all.getSize()], 1, MPI.INT);
                all.free();
            }
            case "place" -> parent.send(new int[] {me}, 1, MPI.INT, 0, 5);
            default -> throw new IllegalArgumentException(mode);
        }
        parent.disconnect();
        MPI.Finalize();
    }
}
