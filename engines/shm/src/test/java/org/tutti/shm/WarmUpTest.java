package org.tutti.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.tutti.shm.progress.Progress;

/// What the compiler is given by loops that wait.
class WarmUpTest {
    /// It puts no method into others whose bytecode is longer than this, however hot.
    private static final int FREQ_INLINE_SIZE = 325;

    /// Inside the two loops, each of which is compiled while it runs and once more, they took a young rank four
    /// seconds.
    @Test
    void whatWaitsCallIsTooLongToBePutIntoThem() throws IOException {
        assertThat(codeLengths(Progress.class, "move")).anyMatch(length -> length > FREQ_INLINE_SIZE);
        assertThat(codeLengths(WaitLoop.class, "sleep")).anyMatch(length -> length > FREQ_INLINE_SIZE);
    }

    /// Of all with this name: some only call another one.
    private static List<Integer> codeLengths(Class<?> in, String method) throws IOException {
        try (InputStream bytes = Objects.requireNonNull(in.getResourceAsStream(in.getSimpleName() + ".class"))) {
            return ClassFile.of().parse(bytes.readAllBytes()).methods().stream()
                    .filter(m -> m.methodName().equalsString(method))
                    .map(m -> ((CodeAttribute) m.code().orElseThrow()).codeLength())
                    .toList();
        }
    }
}
