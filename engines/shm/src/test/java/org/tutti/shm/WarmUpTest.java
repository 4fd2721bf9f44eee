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

/// Code size of methods called by wait loops, as seen by the JIT compiler.
class WarmUpTest {
    /// The maximum bytecode length, in bytes, of hot methods that the compiler inlines.
    private static final int FREQ_INLINE_SIZE = 325;

    /// If these methods were inlined into the two wait loops, a rank that has just started would lose four
    /// seconds, because each loop is compiled twice: while it runs, and once more.
    @Test
    void methodsCalledByWaitLoopsAreTooLongToInline() throws IOException {
        assertThat(codeLengths(Progress.class, "move")).anyMatch(length -> length > FREQ_INLINE_SIZE);
        assertThat(codeLengths(WaitLoop.class, "sleep")).anyMatch(length -> length > FREQ_INLINE_SIZE);
    }

    /// Returns the code lengths of all overloads, because some overloads only call another overload.
    private static List<Integer> codeLengths(Class<?> in, String method) throws IOException {
        try (InputStream bytes = Objects.requireNonNull(in.getResourceAsStream(in.getSimpleName() + ".class"))) {
            return ClassFile.of().parse(bytes.readAllBytes()).methods().stream()
                    .filter(m -> m.methodName().equalsString(method))
                    .map(m -> ((CodeAttribute) m.code().orElseThrow()).codeLength())
                    .toList();
        }
    }
}
