package org.tutti.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.Discovery;

/// The backends of this program, and the devices that each has found. A backend searches for devices only on
/// demand, because the search of OpenCL starts compilers and threads, which a program on GPUs does not need.
final class DeviceBackends {
    /// A backend, with the result of the first search.
    static final class Known {
        private final DeviceBackend backend;
        private @Nullable Discovery found;

        private Known(DeviceBackend backend) {
            this.backend = backend;
        }

        DeviceBackend backend() {
            return backend;
        }

        synchronized Discovery discovery() {
            if (found == null) found = discover(backend);
            return found;
        }
    }

    private static final class All {
        private All() {}

        private static final List<Known> KNOWN = load();
    }

    private DeviceBackends() {}

    /// Returns the backends in order of preference.
    static List<Known> known() {
        return All.KNOWN;
    }

    private static List<Known> load() {
        List<DeviceBackend> backends = new ArrayList<>();
        ServiceLoader.load(DeviceBackend.class, DeviceBackend.class.getClassLoader()).stream()
                .forEach(provider -> {
                    try {
                        backends.add(provider.get());
                    } catch (ServiceConfigurationError e) {
                        // a backend that cannot be created is not in the report, because it has no kind
                    }
                });
        backends.sort(Comparator.comparingInt(DeviceBackend::order).thenComparing(DeviceBackend::kind));
        return backends.stream().map(Known::new).toList();
    }

    /// Returns the result of a search. A backend does not throw, but the JVM does if native access is not
    /// permitted.
    private static Discovery discover(DeviceBackend backend) {
        try {
            return backend.discover();
        } catch (RuntimeException | LinkageError e) {
            Throwable first = e;
            while (first.getCause() != null) first = first.getCause();
            boolean isAccess = first instanceof IllegalCallerException;
            String advice = isAccess ? "; run with --enable-native-access=org.tutti.device, or =ALL-UNNAMED" : "";
            return new Discovery(List.of(), List.of(new Attempt("backend " + backend.kind(), first + advice)));
        }
    }

    /// Returns the backends of the given kind, without a search for other kinds.
    static List<Known> known(String kind) {
        return known().stream()
                .filter(each -> each.backend().kind().equals(kind))
                .toList();
    }

    static List<DeviceAttributes> devices(List<Known> among) {
        List<DeviceAttributes> devices = new ArrayList<>();
        for (Known each : among) devices.addAll(each.discovery().devices());
        return List.copyOf(devices);
    }

    /// Returns the search report of these backends, one line per attempt.
    static String searchReport(List<Known> among) {
        StringJoiner lines = new StringJoiner("\n");
        for (Known each : among) {
            List<DeviceAttributes> devices = each.discovery().devices();
            for (Attempt attempt : each.discovery().attempts()) {
                lines.add("  " + each.backend().kind() + ": " + attempt);
            }
            for (DeviceAttributes device : devices) lines.add("  found " + device.id() + ": " + device.name());
            if (devices.isEmpty() && each.discovery().attempts().isEmpty()) {
                lines.add("  " + each.backend().kind() + ": nothing found");
            }
        }
        return lines.toString();
    }
}
