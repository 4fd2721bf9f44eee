package org.tutti.launch.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.job.os.OsPlatform;
import org.tutti.job.os.OutputPipe;
import org.tutti.launch.output.RankOutput;

/// The pipes through which ranks write directly to this launcher, because the native launcher that started the
/// ranks would mix the lines of different ranks. The shell of such a rank opens two pipes, see `RankShell`.
final class RankPipes {
    private static final String NO_PIPE = "-";

    /// stdout and stderr of each rank; null for a rank that uses the native launcher's streams.
    private final @Nullable OutputPipe[] pipes;

    private RankPipes(@Nullable OutputPipe[] pipes) {
        this.pipes = pipes;
    }

    /// Creates the pipes; returns null if the platform does not support pipes that have a path.
    ///
    /// @param ranks the ranks that get pipes
    static @Nullable RankPipes of(OsPlatform platform, BitSet ranks, int size) {
        RankPipes all = new RankPipes(new OutputPipe[2 * size]);
        for (int rank = ranks.nextSetBit(0); rank >= 0; rank = ranks.nextSetBit(rank + 1)) {
            for (int stream = 0; stream < 2; stream++) {
                OutputPipe pipe = platform.createPipe();
                if (pipe == null) {
                    all.discard();
                    return null;
                }
                all.pipes[2 * rank + stream] = pipe;
            }
        }
        return all;
    }

    /// Returns two paths for each rank, or two `-` for a rank without pipes, separated by spaces: the value of
    /// `RankShell.OUTPUT`.
    String paths() {
        List<String> paths = new ArrayList<>();
        for (OutputPipe pipe : pipes) paths.add(pipe == null ? NO_PIPE : pipe.path());
        return String.join(" ", paths);
    }

    void relayTo(RankOutput output) {
        for (int i = 0; i < pipes.length; i++) {
            OutputPipe pipe = pipes[i];
            if (pipe != null) output.relay(pipe.in(), i / 2, i % 2);
        }
    }

    /// Marks the end of the pipes, so that the launcher can read the output to the end. Called after the ranks
    /// have ended.
    void seal() {
        for (OutputPipe pipe : pipes) if (pipe != null) pipe.seal().run();
    }

    private void discard() {
        seal();
        for (OutputPipe pipe : pipes) {
            try {
                if (pipe != null) pipe.in().close();
            } catch (IOException e) {
                // no data to read
            }
        }
    }
}
