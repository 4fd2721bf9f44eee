package org.tutti.device.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.tutti.device.gpu.FakeLibrary.at;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A fake compiler library: a source that contains `oops` does not compile.
final class FakeCompiler implements FakeLibrary.Behaviour {
    static final String LOG = "kernel.cu(1): error: identifier \"oops\" is undefined\n";

    String source = "";
    final List<String> options = new ArrayList<>();
    int programs;

    @Override
    public int call(String row, Object[] a) {
        switch (row) {
            case "VERSION" -> {
                at(a[0]).set(JAVA_INT, 0, 12);
                at(a[1]).set(JAVA_INT, 0, 4);
            }
            case "ARCHITECTURE_COUNT" -> at(a[0]).set(JAVA_INT, 0, 3);
            case "ARCHITECTURES" ->
                MemorySegment.copy(MemorySegment.ofArray(new int[] {75, 80, 90}), 0, at(a[0]), 0, 12);
            case "CREATE" -> {
                source = at(a[1]).getString(0);
                programs++;
                at(a[0]).set(JAVA_LONG, 0, 0x77);
            }
            case "COMPILE" -> {
                options.clear();
                for (int i = 0; i < (int) a[1]; i++) options.add(FakeLibrary.textAt(at(a[2]), i));
                return source.contains("oops") ? 6 : 0;
            }
            case "LOG_SIZE" -> at(a[1]).set(JAVA_LONG, 0, LOG.length() + 1);
            case "LOG" -> at(a[1]).setString(0, LOG);
            case "CODE_SIZE" -> at(a[1]).set(JAVA_LONG, 0, 9);
            case "CODE" -> at(a[1]).setString(0, "FAKECODE");
            case "PORTABLE_SIZE" -> at(a[1]).set(JAVA_LONG, 0, 8);
            case "PORTABLE" -> at(a[1]).setString(0, "FAKEPTX");
            case "DESTROY" -> programs--;
            default -> throw new AssertionError(row);
        }
        return 0;
    }
}
