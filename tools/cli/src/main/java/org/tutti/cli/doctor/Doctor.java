package org.tutti.cli.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.tutti.cli.doctor.Examination.Section;
import org.tutti.cli.doctor.settings.Owner;

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
            new SettingsCheck("MPI libraries, UCX, libfabric, devices, NCCL or RCCL", EnumSet.allOf(Owner.class)));

    private Doctor() {}

    /// Looks at everything, at once: most of it waits for other processes.
    public static Examination examine(ExaminedMachine patient) {
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

    /// Looks at devices alone, and at all that is known of them.
    ///
    /// @param job whether a job of [ExaminedMachine#ranks] is started to see which device each rank gets; then
    ///     the calling thread must live until this returns, as of [org.tutti.launch.job.Launcher#run]
    public static Examination examineDevices(ExaminedMachine patient, boolean job)
            throws IOException, InterruptedException {
        return DeviceExamination.of(patient, job);
    }

    private static List<Finding> look(DoctorCheck check, ExaminedMachine patient) {
        CheckResults notes = new CheckResults();
        check.look(patient, notes);
        return notes.findings();
    }
}
