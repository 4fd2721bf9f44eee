package programs;

import static org.tutti.mpi.Buf.buf;

import java.util.List;
import java.util.Map;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// Rank 1 of 2 makes a mistake, which the argument selects.
public final class Mistakes {
    private Mistakes() {}

    @SuppressWarnings("try") // the early close is the mistake
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            Comm world = mpi.world();
            boolean me = world.rank() == 1;
            switch (args[0]) {
                case "destination" -> {
                    if (me) world.send(buf(new int[1]), world.size());
                }
                case "tag" -> {
                    if (me) world.send(buf(new int[1]), 0, -5);
                }
                case "objectType" -> {
                    if (me) world.recvObject(Map.class, 0, 7);
                    else world.sendObject(List.of(1, 2), 1, 7);
                }
                case "gatherTooSmall" -> {
                    if (me) world.gather(buf(new double[3]), buf(new double[5]), 1);
                    else world.gather(buf(new double[3]), org.tutti.mpi.Buf.NONE, 1);
                }
                case "afterClose" -> {
                    if (me) {
                        mpi.close(); // afterClose
                        world.barrier();
                    }
                }
                case "initTwice" -> {
                    if (me) Mpi.init();
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
            if (!me) world.recv(buf(new int[1]), 1, 99);
        }
    }
}
