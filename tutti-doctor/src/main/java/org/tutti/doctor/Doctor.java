package org.tutti.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.tutti.doctor.Examination.Section;

/// Examines a machine.
public final class Doctor {
    private static final List<DoctorCheck> CHECKS = List.of(
            new MachineCheck(),
            new JvmCheck(),
            new SharedMemoryCheck(),
            new LimitsCheck(),
            new LauncherCheck(),
            new NetworkCheck(),
            new MpiCheck(),
            new GpuCheck(),
            new SettingsCheck());

    private Doctor() {}

    /// Looks at everything, at once: most of it waits for other processes.
    public static Examination examine(Patient patient) {
        List<Section> sections = new ArrayList<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<List<Finding>>> looks = new ArrayList<>();
            for (DoctorCheck check : CHECKS) looks.add(threads.submit(() -> look(check, patient)));
            for (int i = 0; i < CHECKS.size(); i++) {
                sections.add(new Section(CHECKS.get(i).title(), looks.get(i).get()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return new Examination(List.copyOf(sections));
    }

    private static List<Finding> look(DoctorCheck check, Patient patient) {
        Notes notes = new Notes();
        check.look(patient, notes);
        return notes.findings();
    }
}
