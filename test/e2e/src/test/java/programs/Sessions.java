package programs;

import static org.tutti.mpi.Buf.buf;

import org.tutti.mpi.Group;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.MpiException;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.Session;

/// Ranks that open sessions. The first argument selects the program.
public final class Sessions {
    private Sessions() {}

    public static void main(String[] args) {
        switch (args[0]) {
            case "only" -> {
                int size = count("only");
                if (rank() == 0) System.out.println("only, " + size);
            }
            case "around" -> {
                int rounds = Integer.parseInt(args[1]), size = 0;
                for (int i = 0; i < rounds; i++) size = count("before " + i);
                try (Session held = Session.open();
                        Mpi mpi = Mpi.init()) {
                    if (count("while") != size
                            || held.group(Session.WORLD).size() != mpi.world().size()) return;
                    mpi.world().barrier();
                }
                // the number of sessions differs between ranks
                for (int i = 0; i < rounds + rank(); i++) Session.open().close();
                for (int i = 0; i < rounds; i++) size = count("after " + i);
                if (rank() == 0) System.out.println("around, " + size);
            }
            case "afterTheWorld" -> {
                Mpi.init().close();
                try {
                    Session.open();
                } catch (MpiException e) {
                    System.out.println(e.getMessage());
                }
            }
            case "open" -> Session.open();
            case "worldOpen" -> {
                Session.open().close();
                Mpi.init();
            }
            case "pending" -> {
                Session session = Session.open();
                OwnedComm comm = session.createFromGroup(session.group(Session.WORLD), "pending");
                comm.irecv(buf(new int[1]), 0, 0);
                session.close();
            }
            case "lost" -> {
                Session session = Session.open();
                OwnedComm comm = session.createFromGroup(session.group(Session.WORLD), "lost");
                if (comm.rank() == 0) comm.send(buf(new int[1]), comm.size() - 1, 5);
                comm.barrier();
                comm.close();
                session.close();
            }
            case "fails" -> {
                try (Session session = Session.open()) {
                    OwnedComm comm = session.createFromGroup(session.group(Session.WORLD), "fails");
                    if (comm.rank() == 0) throw new IllegalStateException("enough");
                    comm.recvObject(String.class, 0, 0);
                }
            }
            case "exits" -> {
                count("exits");
                System.exit(rank() == 0 ? 3 : 0);
            }
            case "exitsWell" -> {
                count("exitsWell");
                System.exit(0);
            }
            case "threads" -> {
                Thread other = new Thread(() -> count("of a thread"));
                other.start();
                count("of main");
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /// Returns the number of ranks, which a new session determines.
    private static int count(String tag) {
        try (Session session = Session.open()) {
            Group world = session.group(Session.WORLD);
            try (OwnedComm comm = session.createFromGroup(world, tag)) {
                int[] sum = {1};
                comm.allreduce(buf(sum), Op.SUM);
                return sum[0];
            }
        }
    }

    private static int rank() {
        try (Session session = Session.open()) {
            return session.group(Session.WORLD).rank();
        }
    }
}
