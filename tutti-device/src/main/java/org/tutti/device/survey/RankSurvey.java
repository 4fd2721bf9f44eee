package org.tutti.device.survey;

import java.nio.file.Path;
import java.util.List;
import org.tutti.device.Device;
import org.tutti.device.DeviceUnavailableException;
import org.tutti.device.spi.DeviceAttributes;
import org.tutti.job.Host;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Mpi;

/// The program whose ranks say which device each gets.
public final class RankSurvey {
    /// A rank's device.
    private record Mine(String host, String id, String name, String uuid) {}

    private RankSurvey() {}

    /// @param args the file for the answers, which rank 0 writes
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init(args)) {
            ask(mpi.world(), SurveyFile.at(Path.of(args[0])));
        }
    }

    /// Collective.
    static void ask(Comm world, SurveyFile answers) {
        try (Device device = Device.forRank(world)) {
            DeviceAttributes a = device.attributes();
            List<Mine> all = world.gatherObject(new Mine(Host.name(), a.id(), a.name(), a.uuid()), 0);
            for (int r = 0; all != null && r < all.size(); r++) {
                Mine one = all.get(r);
                answers.line("rank", r, one.host, one.id, one.name, one.uuid);
            }
        } catch (DeviceUnavailableException e) {
            if (world.rank() == 0) answers.line("no-ranks", e.getMessage());
        }
    }
}
