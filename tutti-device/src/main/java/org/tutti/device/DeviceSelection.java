package org.tutti.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.device.DeviceBackends.Asked;
import org.tutti.device.spi.DeviceAttributes;
import org.tutti.device.spi.DeviceFault;
import org.tutti.job.DeviceSetting;
import org.tutti.mpi.Comm;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.SplitType;

/// Which device a program gets.
final class DeviceSelection {
    private static final String HOST = "host";

    private DeviceSelection() {}

    static Device open(String name, int ranks) {
        int colon = name.indexOf(':');
        String kind = colon < 0 ? name : name.substring(0, colon);
        String number = colon < 0 ? "0" : name.substring(colon + 1);
        List<Asked> among = DeviceBackends.asked().stream()
                .filter(each -> each.backend().kind().equals(kind))
                .toList();
        if (among.isEmpty() || !number.matches("\\d{1,6}")) {
            List<String> kinds = DeviceBackends.asked().stream()
                    .map(each -> each.backend().kind())
                    .toList();
            throw new DeviceUnavailableException("'" + name + "' is no name of a device: KIND or KIND:NUMBER, with one"
                    + " of the kinds " + String.join(", ", kinds));
        }
        int index = Integer.parseInt(number);
        if (index >= among.getFirst().discovery().devices().size()) {
            throw new DeviceUnavailableException(
                    "no device " + name + "; what was looked at:\n" + DeviceBackends.looked(among));
        }
        try {
            return new Device(among.getFirst().backend().open(index), ranks);
        } catch (DeviceFault f) {
            throw new DeviceUnavailableException("device " + name + " cannot be opened: " + f.getMessage()
                    + "; what was looked at:\n" + DeviceBackends.looked(among));
        }
    }

    /// What a rank chose, or why it has nothing: for the others.
    ///
    /// @param id of a device; null where there is none
    /// @param shared by how many ranks
    record Choice(@Nullable String id, int shared, @Nullable String failure) {}

    static Device forRank(Comm comm) {
        String setting = DeviceSetting.get();
        if (HOST.equals(setting)) return open(HOST, 1);
        String kind = setting == null || setting.equals(DeviceSetting.ANY) ? null : setting;
        List<DeviceAttributes> visible = visible(kind);
        Choice choice;
        try (OwnedComm machine = comm.splitType(SplitType.SHARED)) {
            List<List<String>> uuids = machine.allgatherObject(
                    visible.stream().map(DeviceAttributes::uuid).toList());
            choice = choose(visible, uuids, machine.rank());
        }
        Device opened = null;
        String failure = choice.failure();
        if (choice.id() != null) {
            try {
                opened = open(choice.id(), choice.shared());
            } catch (DeviceUnavailableException e) {
                failure = String.valueOf(e.getMessage());
            }
        }
        return agree(comm, setting, opened, failure == null ? "" : failure);
    }

    static Device forLocalRank(int localRank) {
        if (localRank < 0) throw new IllegalArgumentException("localRank=" + localRank + ": must be at least 0");
        String setting = DeviceSetting.get();
        if (HOST.equals(setting)) return open(HOST, 1);
        List<DeviceAttributes> visible = visible(setting == null || setting.equals(DeviceSetting.ANY) ? null : setting);
        if (!visible.isEmpty())
            return open(visible.get(localRank % visible.size()).id(), 1);
        if (setting == null) return open(HOST, 1);
        throw new DeviceUnavailableException(DeviceSetting.VARIABLE + "=" + setting + " requires a device; what was"
                + " looked at:\n" + DeviceBackends.looked(DeviceBackends.asked()));
    }

    /// Those of a kind, or of the first kind of which there are any.
    private static List<DeviceAttributes> visible(@Nullable String kind) {
        for (Asked each : DeviceBackends.asked()) {
            String its = each.backend().kind();
            List<DeviceAttributes> devices = each.discovery().devices();
            if (its.equals(kind)) return devices;
            if (kind == null && !its.equals(HOST) && !devices.isEmpty()) return devices;
        }
        return List.of();
    }

    /// Each rank of the machine, in order, takes the one of those it sees that has the fewest ranks; so
    /// all know all choices.
    ///
    /// @param uuids what the machine's ranks see
    static Choice choose(List<DeviceAttributes> visible, List<List<String>> uuids, int rank) {
        Map<String, Integer> users = new HashMap<>();
        String mine = null;
        for (int r = 0; r < uuids.size(); r++) {
            String best = null;
            for (String uuid : uuids.get(r)) {
                if (best == null || users.getOrDefault(uuid, 0) < users.getOrDefault(best, 0)) best = uuid;
            }
            if (best == null) continue;
            users.merge(best, 1, Integer::sum);
            if (r == rank) mine = best;
        }
        for (DeviceAttributes each : visible) {
            if (each.uuid().equals(mine)) return new Choice(each.id(), users.getOrDefault(mine, 0), null);
        }
        return new Choice(null, 0, "none is visible");
    }

    /// All open theirs, or all take the host, or all fail.
    private static Device agree(Comm comm, @Nullable String setting, @Nullable Device opened, String failure) {
        List<String> failures = comm.allgatherObject(opened == null ? failure : "");
        List<Integer> without = new ArrayList<>();
        for (int r = 0; r < failures.size(); r++) if (!failures.get(r).isEmpty()) without.add(r);
        if (opened != null && without.isEmpty()) return opened;
        if (setting == null) {
            if (comm.rank() == 0) {
                String who = without.size() == comm.size() ? "no rank has a" : "ranks " + without + " have no";
                System.err.println("tutti: " + who + " device but the host, which all " + comm.size()
                        + " ranks use then; Device.report() says what was looked at");
            }
            if (opened != null) opened.close();
            return open(HOST, comm.size());
        }
        if (opened != null) opened.close();
        int first = without.getFirst();
        throw new DeviceUnavailableException(DeviceSetting.VARIABLE + "=" + setting + " requires a device, but ranks "
                + without + " of " + comm.size() + " have none; rank " + first + ": " + failures.get(first)
                + "; what this rank, " + comm.rank() + ", looked at:\n"
                + DeviceBackends.looked(DeviceBackends.asked()));
    }
}
