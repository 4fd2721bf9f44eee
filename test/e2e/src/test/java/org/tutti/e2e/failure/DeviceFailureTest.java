package org.tutti.e2e.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Processes;

/// A killed rank ends a job that communicates device buffers.
@Tag("full")
class DeviceFailureTest extends JobTest {
    private static final String SUMS = """
            import static org.tutti.mpi.Buf.buf;
            import org.tutti.device.*;
            import org.tutti.mpi.*;

            void main(String[] args) {
                try (Mpi mpi = Mpi.init(); Device device = Device.forRank(mpi.world())) {
                    DeviceBuffer x = device.zeros(Datatype.FLOAT, 100_000);
                    for (int round = 0; ; round++) {
                        mpi.world().allreduce(buf(x), Op.SUM);
                        if (round == 3) IO.println("ready " + mpi.world().rank() + " " + ProcessHandle.current().pid());
                    }
                }
            }
            """;

    @Test
    void killedRankStopsDeviceJob() throws Exception {
        for (String kind : List.of("host", "opencl")) {
            Path scratch = Checkout.scratch("device-failure");
            Path program = Files.writeString(scratch.resolve("Sums.java"), SUMS);
            Child job = Command.launcher(
                            List.of("--enable-native-access=ALL-UNNAMED"),
                            List.of("run", "-n", "3", program.toString()))
                    .env("TUTTI_DEVICE", kind)
                    .in(scratch)
                    .start();
            Map<Integer, Long> ranks = job.awaitReady(3);
            Processes.signal("KILL", ranks.get(1));
            ProcessOutcome outcome = job.await();
            assertThat(outcome.code()).as("%s", outcome).isEqualTo(137);
            assertThat(outcome.lastErrorLine())
                    .as("%s", outcome)
                    .startsWith("tutti: rank 1 failed first: it was killed (SIGKILL");
        }
    }
}
