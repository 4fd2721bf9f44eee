package org.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.testkit.job.Checkout;
import org.tutti.testkit.job.Command;
import org.tutti.testkit.job.Ended;
import org.tutti.testkit.job.Way;

/// The AOT cache of the launcher. By its name among the first classes of a build: the caches are made while other
/// classes run that need none.
class AotLauncherTest {
    @Test
    void theLauncherStartsOutOfItsCache() throws Exception {
        Way.need(Checkout.isPackaged(), "Tutti is not packaged; ./mvnw verify does it");
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Xlog:class+load");
        Ended ended = Command.launcher(flags, List.of("--version")).run();
        assertThat(ended.code()).as("%s", ended).isZero();
        assertThat(ended.out()).contains("org.tutti.cli.Main source: shared objects file");
    }
}
