package org.tutti.train.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.train.ProcessGroup;
import org.tutti.train.checkpoint.Manifest.Part;

class CheckpointTransferTest {
    @Test
    void failureDeletesFilesAndFreesMemory(@TempDir Path dir) throws Exception {
        List<String> calls = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            ProcessGroup group = (ProcessGroup) Proxy.newProxyInstance(
                    ProcessGroup.class.getClassLoader(),
                    new Class<?>[] {ProcessGroup.class},
                    (_, method, arguments) -> {
                        calls.add(method.getName());
                        return switch (method.getName()) {
                            case "rank" -> 1;
                            case "allocate" -> arena.allocate((long) arguments[0]);
                            case "broadcast" -> {
                                // the first part has arrived when the sender fails
                                if (calls.stream().filter("broadcast"::equals).count() > 1) {
                                    throw new IllegalStateException("rank 0 has failed");
                                }
                                yield null;
                            }
                            default -> null;
                        };
                    });
            Manifest manifest = new Manifest(1, 1, List.of(new Part("step-1.safetensors", 9 << 20, "")));
            assertThatThrownBy(() -> new CheckpointTransfer(group, new Store(dir), false).read(manifest, arena))
                    .hasMessage("rank 0 has failed");
        }
        assertThat(calls).containsOnlyOnce("allocate").containsOnlyOnce("free");
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).isEmpty();
        }
    }
}
