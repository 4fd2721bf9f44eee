package org.tutti.e2e.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.OpenCl;
import org.tutti.e2e.job.ProcessOutcome;
import org.tutti.e2e.job.Tier;

/// The examples for devices print the output in the leading comments, on the host and with OpenCL. By default,
/// one example runs on each of the two. `-Pfull` runs all examples; if the comment of an example requests 4
/// ranks, the example runs on 1, 2, 3 and 4 ranks.
@Tag("ci")
class DeviceExampleTest extends JobTest {
    private static final int MOST_RANKS = 4;
    private static final List<String> QUICK = List.of("DeviceSaxpy.java");

    /// Examples with output that contains times or the name of the device.
    private static final List<String> DIFFERENT = List.of("DevicePingPong.java", "DeviceMapping.java");

    private static Stream<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        for (Example example : Example.all()) {
            if (!example.hasDevices() || !Tier.FULL && !QUICK.contains(example.toString())) continue;
            int most = example.ranks(), least = Tier.FULL && most == MOST_RANKS ? 1 : most;
            for (int ranks = least; ranks <= most; ranks++) runs.add(Arguments.of(example, ranks));
        }
        return runs.stream();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void printsTheCommentedOutputOnEachDevice(Example example, int ranks) throws Exception {
        ProcessOutcome host = example.runOn("host", ranks);
        if (ranks == example.ranks()) example.check(host);
        assertThat(host.code()).as("%s", host).isZero();
        OpenCl.require();
        ProcessOutcome device = example.runOn("opencl", ranks);
        if (ranks == example.ranks()) example.check(device);
        if (!DIFFERENT.contains(example.toString()))
            assertThat(device.out()).as("%s", device).isEqualTo(host.out());
    }
}
