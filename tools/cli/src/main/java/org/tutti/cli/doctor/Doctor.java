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

    /// Runs all checks in parallel, because most checks wait for other processes.
    public static Examination examine(ExaminedMachine examined) {
        List<Section> sections = new ArrayList<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<List<Finding>>> results = new ArrayList<>();
            for (DoctorCheck check : CHECKS) results.add(threads.submit(() -> run(check, examined)));
            for (int i = 0; i < CHECKS.size(); i++) {
                sections.add(new Section(CHECKS.get(i).title(), results.get(i).get()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return new Examination(List.copyOf(sections));
    }

    /// Checks only devices, in detail.
    ///
    /// @param job whether to start a job of [ExaminedMachine#ranks] ranks that reports the device of each rank.
    ///     If so, call this method on a platform thread, for the reason given at
    ///     [org.tutti.launch.job.Launcher#run].
    public static Examination examineDevices(ExaminedMachine examined, boolean job)
            throws IOException, InterruptedException {
        return DeviceExamination.of(examined, job);
    }

    private static List<Finding> run(DoctorCheck check, ExaminedMachine examined) {
        CheckResults notes = new CheckResults();
        check.run(examined, notes);
        return notes.findings();
    }
}
