package org.tutti.train.torch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.InputArchive;
import org.bytedeco.pytorch.OutputArchive;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ArchiveTest {
    private static final int THREADS = 4, ARCHIVES = 200;

    /// Simulates ranks that are threads: each thread reads the numbers of its archive.
    @Test
    void threadsReadOnlyTheirNumbers() throws Exception {
        CyclicBarrier together = new CyclicBarrier(THREADS);
        List<FutureTask<Integer>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            FutureTask<Integer> task = new FutureTask<>(() -> right(thread, together));
            all.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        for (FutureTask<Integer> task : all) assertThat(task.get()).isEqualTo(ARCHIVES);
    }

    private static int right(int thread, CyclicBarrier together) throws Exception {
        int right = 0;
        for (int i = 0; i < ARCHIVES; i++) {
            long number = 1000L * thread + i;
            try (PointerScope scope = new PointerScope()) {
                OutputArchive out = new OutputArchive();
                out.write("number", torch.tensor(number));
                InputArchive in = new InputArchive();
                together.await();
                Archive.of(out).loadInto(in);
                Tensor read = new Tensor();
                in.read("number", read);
                if (read.item_long() == number) right++;
            }
        }
        return right;
    }
}
