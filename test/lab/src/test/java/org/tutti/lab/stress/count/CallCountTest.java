package org.tutti.lab.stress.count;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A call executes no more methods of Tutti, and makes no more accesses to shared memory, than the file of
/// counts allows. `-Dtutti.counts=write` writes the file again.
class CallCountTest {
    private static final Path FILE =
            Path.of(System.getProperty("basedir", ""), "src/test/resources/org/tutti/lab/stress/count/calls.txt");
    private static final String HERE = CallCountTest.class.getPackageName() + ".";

    private static final List<CallCount> COUNTS = new ArrayList<>();

    /// A class with few methods, used instead of the program with the counted calls.
    public static final class CountedSample implements Consumer<Consumer<CallCount>> {
        private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
        private final MemorySegment memory = MemorySegment.ofArray(new long[2]);

        @Override
        public void accept(Consumer<CallCount> result) {
            MethodCounter.start();
            outer(1);
            result.accept(MethodCounter.stop("one"));
            MethodCounter.start();
            outer(3);
            result.accept(MethodCounter.stop("three"));
        }

        private void outer(int times) {
            for (int i = 0; i < times; i++) inner();
            if (times > 1) additional();
        }

        private void inner() {
            LONGS.setRelease(memory, 0L, (long) LONGS.getAcquire(memory, 8L) + 1);
        }

        private void additional() {
            memory.set(ValueLayout.JAVA_LONG, 0, 1);
        }
    }

    @SuppressWarnings("unchecked") // the class has this type
    private static List<CallCount> count(Class<?> program, Predicate<String> isDefined, Predicate<String> isCounted)
            throws ReflectiveOperationException {
        CountingLoader loader = new CountingLoader(CallCountTest.class.getClassLoader(), isDefined, isCounted);
        List<CallCount> counts = new ArrayList<>();
        Class<?> defined = loader.loadClass(program.getName());
        ((Consumer<Consumer<CallCount>>) defined.getConstructor().newInstance()).accept(counts::add);
        return counts;
    }

    @BeforeAll
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    static void countCalls() throws Exception {
        String program = CountedCalls.class.getName();
        Predicate<String> isCounted = name -> name.startsWith("org.tutti.") && !name.startsWith(HERE);
        COUNTS.addAll(count(CountedCalls.class, isCounted.or(name -> name.startsWith(program)), isCounted));
        if ("write".equals(System.getProperty("tutti.counts")))
            CountFile.of(COUNTS).write(FILE);
    }

    @Test
    void noCallIsLongerThanItsBound() throws IOException {
        assertThat(CountFile.read(FILE).exceeded(COUNTS))
                .as("above the bounds in %s; on purpose: run the test with -Dtutti.counts=write", FILE)
                .isEmpty();
    }

    @Test
    void eachBoundHasItsCall() throws IOException {
        assertThat(CountFile.read(FILE).bounds().keySet())
                .containsExactlyElementsOf(COUNTS.stream().map(CallCount::call).toList());
    }

    @Test
    void callsAreRecorded() {
        assertThat(COUNTS)
                .filteredOn(c -> !c.call().startsWith("iprobe") && !c.call().startsWith("put"))
                .allSatisfy(c -> assertThat(c.methods()).containsKey("FlightRing.begin"));
    }

    @Test
    void additionalMethodsAreNamed(@TempDir Path directory) throws Exception {
        String sample = CountedSample.class.getName();
        List<CallCount> counts = count(CountedSample.class, sample::equals, sample::equals);
        CallCount one = counts.get(0), three = counts.get(1);
        String name = "CallCountTest$CountedSample.";
        assertThat(one.methods()).isEqualTo(Map.of(name + "outer", 1, name + "inner", 1));
        assertThat(one.accesses()).isEqualTo(2);
        assertThat(three.methods()).isEqualTo(Map.of(name + "outer", 1, name + "inner", 3, name + "additional", 1));
        assertThat(three.accesses()).isEqualTo(6);
        assertThat(three.values()).isEqualTo(1);

        Path file = directory.resolve("counts.txt");
        CountFile.of(List.of(one)).write(file);
        CountFile read = CountFile.read(file);
        assertThat(read.exceeded(List.of(one))).isEmpty();
        CallCount longer =
                new CallCount("one", three.accesses(), three.values(), 999, three.methods(), three.largest());
        assertThat(read.exceeded(List.of(longer)))
                .containsExactly(
                        "one: 5 methods, bound 2, 6 accesses, bound 2, 1 values, bound 0, 999 bytes of bytecode, bound 200; new or more often than there: "
                                + name + "additional 1 (new), " + name + "inner 3 (1)");
    }

    @Test
    void longMethodsAreNamedOnceTheyGrow() {
        CallCount allowed = new CallCount("one", 0, 0, 725, Map.of("A.a", 1, "A.b", 1), Map.of("A.a", 400, "A.b", 325));
        CallCount grown = new CallCount("one", 0, 0, 725, Map.of("A.a", 1, "A.b", 1), Map.of("A.a", 401, "A.b", 326));
        CountFile file = CountFile.of(List.of(allowed));
        assertThat(file.longMethods()).isEqualTo(Map.of("A.a", 400));
        assertThat(file.exceeded(List.of(allowed))).isEmpty();
        assertThat(file.exceeded(List.of(grown)))
                .containsExactly("A.a: 401 bytes of bytecode, bound 400", "A.b: 326 bytes of bytecode, bound 325");
    }
}
