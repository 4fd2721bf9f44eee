package org.tutti.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.device.DeviceBackends.Known;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.InterprocessMemory;
import org.tutti.job.environment.DeviceSetting;
import org.tutti.mpi.Comm;
import org.tutti.mpi.Op;
import org.tutti.mpi.OwnedComm;
import org.tutti.mpi.SplitType;

/// The selection of devices for a rank.
final class DeviceSelection {
    private static final String HOST = "host";

    private DeviceSelection() {}

    static Device open(String name, int ranks) {
        int colon = name.indexOf(':');
        String kind = colon < 0 ? name : name.substring(0, colon);
        String number = colon < 0 ? "0" : name.substring(colon + 1);
        List<Known> among = DeviceBackends.known(kind);
        if (among.isEmpty() || !number.matches("\\d{1,6}")) {
            List<String> kinds = DeviceBackends.known().stream()
                    .map(each -> each.backend().kind())
                    .toList();
            throw new DeviceUnavailableException("'" + name + "' is not a device name; use KIND or KIND:NUMBER,"
                    + " with one of the kinds " + String.join(", ", kinds));
        }
        int index = Integer.parseInt(number);
        if (!isThere(among.getFirst().discovery().devices(), index)) {
            throw new DeviceUnavailableException(
                    "no device " + name + "; searched:\n" + DeviceBackends.searchReport(among));
        }
        try {
            return new Device(among.getFirst().backend().open(index), ranks);
        } catch (DeviceFault f) {
            throw new DeviceUnavailableException("device " + name + " cannot be opened: " + f.getMessage()
                    + "; searched:\n" + DeviceBackends.searchReport(among));
        }
    }

    /// Returns whether a device has this index; indices of unusable devices are missing.
    static boolean isThere(List<DeviceAttributes> devices, int index) {
        return devices.stream().anyMatch(each -> each.index() == index);
    }

    /// A rank's choice of a device, or the reason why none is available.
    ///
    /// @param id the device; null if none exists
    /// @param shared the number of ranks that share the device
    record Choice(@Nullable String id, int shared, @Nullable String failure) {}

    static Device forRank(Comm comm) {
        return forRank(comm, 1).getFirst();
    }

    /// Opens the devices of this rank. `count` is the number of devices; 0 means all devices of this rank.
    static List<Device> forRank(Comm comm, int count) {
        return forRank(comm, DeviceSetting.get(), count);
    }

    /// Opens the devices of this rank. `setting` is the setting of this rank; other ranks may have none.
    static List<Device> forRank(Comm comm, @Nullable String setting, int count) {
        boolean isHost = HOST.equals(setting);
        String kind = setting == null || setting.equals(DeviceSetting.ANY) ? null : setting;
        List<DeviceAttributes> visible = isHost ? List.of() : visible(kind);
        List<Choice> choices;
        try (OwnedComm machine = comm.splitType(SplitType.SHARED)) {
            List<List<String>> uuids = machine.allgatherObject(
                    visible.stream().map(DeviceAttributes::uuid).toList());
            choices = divide(visible, uuids, machine.rank());
        }
        if (isHost) return agree(comm, setting, host(count, 1), count, "");
        List<Device> opened = new ArrayList<>();
        String failure = isKind(kind) ? choices.getFirst().failure() : "unknown kind of device";
        try {
            for (int i = 0; failure == null && i < (count == 0 ? choices.size() : count); i++) {
                Choice next = choices.get(i % choices.size());
                opened.add(open(String.valueOf(next.id()), next.shared()));
            }
        } catch (DeviceUnavailableException e) {
            failure = String.valueOf(e.getMessage());
        }
        return agree(comm, setting, opened, count, failure == null ? "" : failure);
    }

    private static boolean isKind(@Nullable String kind) {
        return kind == null || !DeviceBackends.known(kind).isEmpty();
    }

    private static List<Device> host(int count, int ranks) {
        List<Device> opened = new ArrayList<>();
        for (int i = 0; i < Math.max(1, count); i++) opened.add(open(HOST, ranks));
        return opened;
    }

    static Device forLocalRank(int localRank) {
        if (localRank < 0) throw new IllegalArgumentException("localRank=" + localRank + ": must be at least 0");
        String setting = DeviceSetting.get();
        if (HOST.equals(setting)) return open(HOST, 1);
        List<DeviceAttributes> visible = visible(setting == null || setting.equals(DeviceSetting.ANY) ? null : setting);
        if (!visible.isEmpty())
            return open(visible.get(localRank % visible.size()).id(), 1);
        if (setting == null) return open(HOST, 1);
        throw new DeviceUnavailableException(DeviceSetting.shown(setting) + " requires a device; searched:\n"
                + DeviceBackends.searchReport(DeviceBackends.known()));
    }

    /// Returns the devices of `kind`; if `kind` is null, the devices of the first kind, other than the host,
    /// that has any device.
    private static List<DeviceAttributes> visible(@Nullable String kind) {
        for (Known each : DeviceBackends.known()) {
            String its = each.backend().kind();
            boolean isWanted = kind == null ? !its.equals(HOST) : its.equals(kind);
            if (!isWanted) continue;
            List<DeviceAttributes> devices = each.discovery().devices();
            if (kind != null || !devices.isEmpty()) return devices;
        }
        return List.of();
    }

    /// Divides the devices. Each rank of the machine, in order, is assigned the visible device with the fewest
    /// ranks; of several such devices, the one that the fewest ranks see. The computation is the same on all
    /// ranks. A device without a rank is then assigned to one of the ranks that see the device: to the rank with
    /// the fewest devices, or to the first of several such ranks. As a result, every device is assigned, and if
    /// all ranks see the same devices, a device is shared only if there are fewer devices than ranks.
    ///
    /// @param uuids the devices that are visible to each rank of the machine
    /// @return the devices of this rank, the first choice first
    static List<Choice> divide(List<DeviceAttributes> visible, List<List<String>> uuids, int rank) {
        Map<String, Integer> users = new HashMap<>(), viewers = new HashMap<>();
        for (List<String> seen : uuids) for (String uuid : seen) viewers.merge(uuid, 1, Integer::sum);
        Comparator<String> preference = Comparator.comparingInt((String uuid) -> users.getOrDefault(uuid, 0))
                .thenComparingInt(uuid -> viewers.getOrDefault(uuid, 0));
        List<List<String>> taken = new ArrayList<>();
        for (List<String> seen : uuids) {
            String best = null;
            for (String uuid : seen) {
                if (best == null || preference.compare(uuid, best) < 0) best = uuid;
            }
            if (best != null) users.merge(best, 1, Integer::sum);
            taken.add(new ArrayList<>(best == null ? List.of() : List.of(best)));
        }
        for (List<String> seen : uuids) {
            for (String uuid : seen)
                if (users.putIfAbsent(uuid, 1) == null)
                    poorest(uuid, uuids, taken).add(uuid);
        }
        List<Choice> mine = new ArrayList<>();
        for (String uuid : taken.get(rank)) {
            for (DeviceAttributes each : visible) {
                if (each.uuid().equals(uuid)) mine.add(new Choice(each.id(), users.getOrDefault(uuid, 0), null));
            }
        }
        return mine.isEmpty() ? List.of(new Choice(null, 0, "no device is visible")) : mine;
    }

    private static List<String> poorest(String uuid, List<List<String>> uuids, List<List<String>> taken) {
        List<String> poorest = null;
        for (int r = 0; r < uuids.size(); r++) {
            if (!uuids.get(r).contains(uuid)) continue;
            if (poorest == null || taken.get(r).size() < poorest.size()) poorest = taken.get(r);
        }
        return Objects.requireNonNull(poorest); // the device is visible to some rank
    }

    /// Connects the first device of this rank with the first devices of all other ranks if a fast path may
    /// exist.
    private static List<Device> connected(Comm comm, List<Device> opened) {
        Device first = opened.getFirst();
        String kind = first.attributes().kind();
        List<CollectiveLibrary> libraries = LibraryWay.libraries().stream()
                .filter(each -> each.deviceKind().equals(kind))
                .toList();
        boolean may = !libraries.isEmpty() || first.power(InterprocessMemory.class) != null;
        if (comm.size() > 1 && comm.allreduce(may ? 1 : 0, Op.MIN) == 1) first.connect(comm, libraries);
        return opened;
    }

    /// Decides collectively which of three outcomes applies: all ranks use the opened devices, or ranks without
    /// a setting use the host, or all ranks fail.
    private static List<Device> agree(
            Comm comm, @Nullable String setting, List<Device> opened, int count, String failure) {
        List<String> settings = comm.allgatherObject(setting == null ? "" : DeviceSetting.shown(setting));
        List<String> failures = comm.allgatherObject(failure);
        List<Integer> without = new ArrayList<>(), refused = new ArrayList<>();
        for (int r = 0; r < failures.size(); r++) {
            if (failures.get(r).isEmpty()) continue;
            without.add(r);
            if (!settings.get(r).isEmpty()) refused.add(r);
        }
        if (without.isEmpty()) return connected(comm, opened);
        if (refused.isEmpty()) {
            if (comm.rank() == 0) {
                boolean isMixed = settings.stream().anyMatch(each -> !each.isEmpty());
                String subject = without.size() == comm.size() ? "no rank has a" : "ranks " + without + " have no";
                String which = isMixed ? "all ranks without a setting" : "all " + comm.size() + " ranks";
                System.err.println("tutti: " + subject + " device except the host, so " + which
                        + " use the host; Device.report() lists the searched locations");
            }
            if (setting != null) return opened;
            opened.forEach(Device::close);
            return host(count, comm.size());
        }
        opened.forEach(Device::close);
        int first = refused.getFirst();
        throw new DeviceUnavailableException(settings.get(first) + " requires a device, but ranks " + refused + " of "
                + comm.size() + " have none; rank " + first + ": " + failures.get(first) + "; rank "
                + comm.rank() + " searched:\n" + DeviceBackends.searchReport(DeviceBackends.known()));
    }
}
