package org.tutti.device.survey;

import static org.tutti.mpi.Buf.buf;

import java.nio.file.Path;
import java.util.List;
import org.tutti.device.Device;
import org.tutti.device.DeviceBuffer;
import org.tutti.device.DeviceUnavailableException;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.job.environment.Host;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Datatype;
import org.tutti.mpi.Mpi;
import org.tutti.mpi.Op;

/// A job in which the ranks report their devices, and the path of messages between these devices.
public final class RankSurvey {
    /// A short message, a message of several pieces, and a long message.
    private static final long[] COUNTS = {2, 16 << 10, 1 << 20};

    /// The device of a rank.
    private record Mine(String host, String id, String name, String uuid) {}

    private RankSurvey() {}

    /// @param args the result file, written by rank 0
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init()) {
            ask(mpi.world(), SurveyFile.at(Path.of(args[0])));
        }
    }

    /// Writes the results of a job to `answers`. Collective.
    static void ask(Comm world, SurveyFile answers) {
        try (Device device = Device.forRank(world)) {
            DeviceAttributes a = device.attributes();
            List<Mine> all = world.gatherObject(new Mine(Host.name(), a.id(), a.name(), a.uuid()), 0);
            for (int r = 0; all != null && r < all.size(); r++) {
                Mine one = all.get(r);
                answers.line("rank", r, one.host, one.id, one.name, one.uuid);
            }
            DeviceBuffer data = device.zeros(Datatype.FLOAT, COUNTS[COUNTS.length - 1]);
            // the first long call selects the path
            world.allreduce(buf(data), Op.SUM);
            for (String operation : List.of("send", "allreduce")) {
                for (long count : COUNTS) {
                    String how = world.explain(operation, buf(data.slice(0, count)));
                    if (world.rank() == 0) answers.line("way", how);
                }
            }
        } catch (DeviceUnavailableException e) {
            if (world.rank() == 0) answers.line("no-ranks", e.getMessage());
        }
    }
}
