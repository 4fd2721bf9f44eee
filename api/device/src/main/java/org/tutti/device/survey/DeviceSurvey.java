package org.tutti.device.survey;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.tutti.device.info.DeviceAttributes;
import org.tutti.device.library.Attempt;
import org.tutti.device.spi.CollectiveLibrary;
import org.tutti.device.spi.DeviceBackend;
import org.tutti.device.spi.DeviceDriver;
import org.tutti.device.spi.DeviceFault;
import org.tutti.device.spi.Discovery;

/// Examines one kind of devices: the searched locations, the devices, whether each device can be opened, the
/// compiler for each device, and the libraries for collective operations.
public final class DeviceSurvey {
    private static final String LIBRARY = ".so";

    private DeviceSurvey() {}

    /// @param args the result file and the kind of devices
    public static void main(String[] args) {
        SurveyFile answers = SurveyFile.at(Path.of(args[0]));
        List<CollectiveLibrary> collectives = new ArrayList<>();
        ServiceLoader.load(CollectiveLibrary.class).forEach(collectives::add);
        for (DeviceBackend backend : ServiceLoader.load(DeviceBackend.class)) {
            if (backend.kind().equals(args[1])) ask(backend, collectives, answers);
        }
    }

    static void ask(DeviceBackend backend, List<CollectiveLibrary> collectives, SurveyFile answers) {
        Discovery discovery = backend.discover();
        writeAttempts(discovery.attempts(), answers);
        for (DeviceAttributes a : discovery.devices()) {
            answers.line(
                    "device",
                    a.id(),
                    a.name(),
                    a.uuid(),
                    a.memoryBytes(),
                    a.architecture(),
                    a.pciId(),
                    a.multiprocessors(),
                    a.driver());
        }
        for (DeviceAttributes a : discovery.devices()) {
            try (DeviceDriver driver = backend.open(a.index())) {
                answers.line("opened", a.id(), driver.compiler());
            } catch (DeviceFault e) {
                answers.line("not-opened", a.id(), e.getMessage());
            }
        }
        if (discovery.devices().isEmpty()) return;
        for (CollectiveLibrary library : collectives) {
            if (!library.deviceKind().equals(backend.kind())) continue;
            writeAttempts(library.attempts(), answers);
            answers.line("collectives", library.name(), library.version());
        }
    }

    private static void writeAttempts(List<Attempt> attempts, SurveyFile answers) {
        for (Attempt attempt : attempts) {
            boolean isLibrary = attempt.failure() == null && attempt.what().contains(LIBRARY);
            answers.line("searched", attempt.what(), attempt.failure(), isLibrary ? file(attempt.what()) : "");
        }
    }

    /// Returns the file that the loader found; empty if the system does not report it.
    private static String file(String library) {
        try {
            if (library.indexOf('/') >= 0) return Path.of(library).toRealPath().toString();
            String stem = "/" + library.substring(0, library.indexOf(LIBRARY) + LIBRARY.length());
            try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
                return mappings.filter(line -> line.contains(stem))
                        .map(line -> line.substring(line.indexOf('/')))
                        .findFirst()
                        .orElse("");
            }
        } catch (IOException e) {
            return "";
        }
    }
}
