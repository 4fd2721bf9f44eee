package org.tutti.futures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A pool of threads: all features that do not need processes.
@Timeout(value = 120)
class RankPoolTest {
    record Shots(int n) implements RankCallable<Long> {
        @Override
        public Long call() {
            var random = CurrentTask.random();
            return IntStream.range(0, n)
                    .filter(_ -> Math.hypot(random.nextDouble(), random.nextDouble()) < 1)
                    .count();
        }
    }

    record Scale(double by) implements RankFunction<Double, Double> {
        @Override
        public Double apply(Double x) {
            return by * x;
        }
    }

    record Even(int n) {
        Even {
            if (n % 2 != 0) throw new IllegalArgumentException(n + " is odd");
        }
    }

    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final AtomicInteger INTERRUPTED = new AtomicInteger();

    private static int square(int x) {
        return x * x;
    }

    private static String slowly(int x) throws InterruptedException {
        STARTED.incrementAndGet();
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            INTERRUPTED.incrementAndGet();
            throw e;
        }
        return "late " + x;
    }

    private static void waitUntil(java.util.function.BooleanSupplier fact) throws InterruptedException {
        while (!fact.getAsBoolean()) Thread.sleep(5);
    }

    private static List<Integer> squares(int n) {
        return IntStream.range(0, n).map(x -> x * x).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void mapsInTheOrderOfItsArguments(int workers) {
        try (RankPool pool = RankPool.threads(workers)) {
            assertThat(pool.workerCount()).isEqualTo(workers);
            for (int n : List.of(0, 1, 2, 63, 64, 65, 1000, 20_000)) {
                assertThat(pool.map(x -> x * x, IntStream.range(0, n)).toList()).isEqualTo(squares(n));
                assertThat(pool.map(
                                        RankPoolTest::square,
                                        IntStream.range(0, n).boxed().toList())
                                .toList())
                        .isEqualTo(squares(n));
            }
            assertThat(pool.withChunkSize(7)
                            .withWindow(10)
                            .map(x -> x * x, IntStream.range(0, 100))
                            .toList())
                    .isEqualTo(squares(100));
            assertThat(pool.withChunkSize(100).withWindow(3).map(x -> x * x, IntStream.range(0, 100)).stream())
                    .isEqualTo(squares(100).stream().toList());
        }
    }

    @Test
    void aLimitMayBeLongerThanALongCounts() {
        try (RankPool pool = RankPool.threads(1)) {
            Tasks tasks = pool.withTimeout(Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(tasks.map(RankPoolTest::delayed, IntStream.range(0, 2)).toList())
                    .containsExactly(0, 1);
            assertThatThrownBy(() -> pool.withTimeout(nothing()))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("withTimeout: the limit is null");
        }
    }

    private static int delayed(int x) throws InterruptedException {
        Thread.sleep(300);
        return x;
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as a program does it by mistake
    private static <T> T nothing() {
        return null;
    }

    @Test
    void argumentsThatAreNull() {
        try (RankPool pool = RankPool.threads(1)) {
            RankFunction<Integer, Integer> same = x -> x;
            List<Integer> none = nothing();
            assertThatThrownBy(() -> pool.map(same, none)).hasMessage("map: the arguments are null");
            assertThatThrownBy(() -> pool.reduce(same, none, Integer::sum))
                    .hasMessage("reduce: the arguments are null");
            assertThatThrownBy(() -> pool.reduce(same, List.of(1), nothing()))
                    .hasMessage("reduce: the operator is null");
        }
    }

    @Test
    void mapsInAnyOrderWhereAsked() {
        try (RankPool pool = RankPool.threads(2)) {
            List<Integer> all = new ArrayList<>(
                    pool.unordered().map(x -> x * x, IntStream.range(0, 5000)).toList());
            Collections.sort(all);
            assertThat(all).isEqualTo(squares(5000));
        }
    }

    @Test
    void takesOnlyAWindowOfAnEndlessInput() {
        try (RankPool pool = RankPool.threads(2)) {
            AtomicLong pulled = new AtomicLong();
            Stream<Long> endless = Stream.generate(pulled::incrementAndGet);
            Results<Long> results = pool.withChunkSize(4).withWindow(100).map(x -> 2 * x, endless);
            Iterator<Long> each = results.iterator();
            for (long i = 1; i <= 1000; i++) {
                assertThat(each.next()).isEqualTo(2 * i);
                assertThat(pulled.get()).isLessThanOrEqualTo(i + 101);
            }
            results.cancel();
            assertThat(each.hasNext()).isFalse();
        }
    }

    @Test
    void nullIsAValue() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            assertThat(pool.map(x -> x.equals("b") ? null : x, List.of("a", "b", "c"))
                            .toList())
                    .containsExactly("a", null, "c");
            assertThat(pool.submit(x -> x, (Object) null).get()).isNull();
            assertThat(pool.unordered().map(x -> null, List.of(1, 2)).toList()).containsExactly(null, null);
        }
    }

    @Test
    void capturedValuesAndRecordsAndMethodReferencesTravel() throws Exception {
        int k = 3;
        List<String> words = List.of("x", "y");
        try (RankPool pool = RankPool.threads(2)) {
            assertThat(pool.map(x -> k * x, List.of(1, 2)).toList()).containsExactly(3, 6);
            assertThat(pool.submit(() -> words.size() + k).get()).isEqualTo(5);
            assertThat(pool.submit(x -> x + words, "z").get()).isEqualTo("z[x, y]");
            assertThat(pool.submit(new Scale(2), 4.0).get()).isEqualTo(8);
            assertThat(pool.map(Math::sqrt, List.of(4.0, 9.0)).toList()).containsExactly(2.0, 3.0);
            assertThat(pool.map(String::length, List.of("a", "bb")).toList()).containsExactly(1, 2);
            assertThat(pool.map(Scale::new, List.of(1.5)).toList()).containsExactly(new Scale(1.5));
        }
    }

    @Test
    void moreJobsThanAWorkerRemembers() {
        try (RankPool pool = RankPool.threads(2)) {
            for (int round = 0; round < 3 * Wire.REMEMBERED; round++) {
                int k = round;
                assertThat(pool.map(x -> k + x, List.of(1, 2, 3)).toList()).containsExactly(k + 1, k + 2, k + 3);
            }
            List<Iterator<Integer>> open = new ArrayList<>();
            for (int i = 0; i < 2 * Wire.REMEMBERED; i++) {
                int k = i;
                open.add(pool.withChunkSize(1)
                        .withWindow(2)
                        .map(x -> k * x, IntStream.range(0, 50))
                        .iterator());
            }
            for (int x = 0; x < 50; x++) {
                for (int k = 0; k < open.size(); k++)
                    assertThat(open.get(k).next()).isEqualTo(k * x);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void randomNumbersBelongToTheTask(int workers) {
        long expected = 0;
        for (int i = 0; i < 40; i++) {
            var random = CurrentTask.generator(42, i);
            expected += IntStream.range(0, 500)
                    .filter(_ -> Math.hypot(random.nextDouble(), random.nextDouble()) < 1)
                    .count();
        }
        try (RankPool pool = RankPool.threads(workers)) {
            List<Shots> tasks = Collections.nCopies(40, new Shots(500));
            assertThat(pool.withSeed(42).callAll(tasks).stream()
                            .mapToLong(h -> h)
                            .sum())
                    .isEqualTo(expected);
            assertThat(pool.withSeed(42).unordered().withChunkSize(3).callAll(tasks).stream()
                            .mapToLong(h -> h)
                            .sum())
                    .isEqualTo(expected);
            assertThat(new HashSet<>(pool.map(x -> CurrentTask.random().nextLong(), IntStream.range(0, 1000))
                            .toList()))
                    .hasSize(1000);
        }
    }

    @Test
    void aFailedElementFailsOnlyItsTask() {
        try (RankPool pool = RankPool.threads(2)) {
            Iterator<Integer> each = pool.withChunkSize(10)
                    .map(x -> 100 / (x - 5), IntStream.range(0, 10))
                    .iterator();
            List<Object> seen = new ArrayList<>();
            while (each.hasNext()) {
                try {
                    seen.add(each.next());
                } catch (TaskFailedException e) {
                    seen.add(e.remoteClassName() + e.taskNumber());
                }
            }
            assertThat(seen)
                    .containsExactly(-20, -25, -33, -50, -100, "java.lang.ArithmeticException5", 100, 50, 33, 25);
        }
    }

    @Test
    void aFailureHasRankTaskAndStack() {
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<Integer> future = pool.submit(x -> deep(x), 3);
            assertThatThrownBy(future::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(TaskFailedException.class, e -> {
                        assertThat(e.remoteClassName()).isEqualTo("java.lang.IllegalStateException");
                        assertThat(e.rank()).isEqualTo(1);
                        assertThat(e).hasMessageStartingWith("IllegalStateException: at 0 (task 0 of submit");
                        assertThat(e).hasMessageEndingWith(", rank 1 of 2)");
                        assertThat(e.getStackTrace()[0].toString())
                                .matches("rank 1//org.tutti.futures.RankPoolTest.deep\\(RankPoolTest.java:\\d+\\)");
                        assertThat(e.getCause()).hasMessage("ArithmeticException: / by zero");
                    });
        }
    }

    private static int deep(int levels) {
        if (levels > 0) return deep(levels - 1);
        try {
            return 1 / levels;
        } catch (ArithmeticException e) {
            throw new IllegalStateException("at " + levels, e);
        }
    }

    @Test
    void errorsOfTasksAreTheirOwn() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            assertThatThrownBy(() -> pool.submit(x -> endless(x), 1).get())
                    .cause()
                    .isInstanceOfSatisfying(
                            TaskFailedException.class,
                            e -> assertThat(e.remoteClassName()).endsWith("StackOverflowError"));
            assertThatThrownBy(() ->
                            pool.submit(x -> new byte[x][x], Integer.MAX_VALUE).get())
                    .cause()
                    .isInstanceOfSatisfying(
                            TaskFailedException.class,
                            e -> assertThat(e.remoteClassName()).endsWith("OutOfMemoryError"));
            assertThat(pool.submit(x -> x, 7).get()).isEqualTo(7);
        }
    }

    private static int endless(int x) {
        return x == 0 ? 0 : 1 + endless(x + 1);
    }

    @Test
    void nonValuesFailOnlyTheirTask() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            Object thread = new Thread();
            assertThatThrownBy(() -> pool.submit(x -> 1, thread).get())
                    .cause()
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageContaining("submit: the argument of task 0 is not a value: ")
                    .hasMessageContaining("java.lang.Thread cannot be sent");
            assertThatThrownBy(() -> pool.submit(() -> thread.hashCode()).get())
                    .cause()
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageContaining("java.lang.Thread cannot be sent");
            assertThatThrownBy(() -> pool.submit(x -> new Thread(), 1).get())
                    .cause()
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageContaining("the result is not a value: ")
                    .hasMessageContaining("java.lang.Thread cannot be sent");
            List<Object> arguments = List.of(1, 2, thread, 4);
            assertThat(outcomes(pool.withChunkSize(4).map(x -> x, arguments)))
                    .containsExactly(1, 2, TaskRefusedException.class, 4);
            assertThat(outcomes(
                            pool.withChunkSize(4).map(x -> x == 3 ? (Object) new Thread() : x, List.of(1, 2, 3, 4))))
                    .containsExactly(1, 2, TaskRefusedException.class, 4);
            assertThat(pool.submit(x -> x, 7).get()).isEqualTo(7);
        }
    }

    private static List<Object> outcomes(Results<?> results) {
        List<Object> seen = new ArrayList<>();
        Iterator<?> each = results.iterator();
        while (each.hasNext()) {
            try {
                seen.add(each.next());
            } catch (RuntimeException e) {
                seen.add(e.getClass());
            }
        }
        return seen;
    }

    @Test
    void submittedTasksAreUnderWayAtOnceAndDependentsMayWait() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            List<RankFuture<Integer>> futures = IntStream.range(0, 2000)
                    .mapToObj(i -> pool.submit(x -> x * x, i))
                    .toList();
            for (int i = 0; i < futures.size(); i++)
                assertThat(futures.get(i).get()).isEqualTo(i * i);
            CompletableFuture<Integer> chain = pool.submit(x -> x + 1, 1).thenApply(x -> {
                assertThat(Thread.currentThread().getName()).isNotEqualTo("tutti-pool");
                return pool.submit(y -> 10 * y, x).join();
            });
            assertThat(chain.get()).isEqualTo(20);
            assertThat(CompletableFuture.allOf(pool.submit(x -> x, 1), pool.submit(x -> x, 2))
                            .thenApply(_ -> pool.submit(x -> x, 3).join())
                            .get())
                    .isEqualTo(3);
        }
    }

    @Test
    void cancelReachesRunningAndQueuedTasks() throws Exception {
        STARTED.set(0);
        INTERRUPTED.set(0);
        try (RankPool pool = RankPool.threads(1)) {
            RankFuture<String> running = pool.submit(x -> slowly(x), 1);
            RankFuture<String> waiting = pool.submit(x -> slowly(x), 2);
            waitUntil(() -> STARTED.get() == 1);
            assertThat(waiting.cancel(true)).isTrue();
            assertThat(running.cancel(true)).isTrue();
            assertThatThrownBy(running::get).isInstanceOf(CancellationException.class);
            waitUntil(() -> INTERRUPTED.get() == 1);
            assertThat(pool.submit(x -> Thread.currentThread().isInterrupted(), 1)
                            .get())
                    .isFalse();
            assertThat(STARTED.get()).isEqualTo(1);
        }
    }

    @Test
    void aTaskThatTakesTooLongIsInterrupted() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            Tasks hasty = pool.withTimeout(Duration.ofMillis(100));
            assertThatThrownBy(() -> hasty.submit(x -> slowly(x), 1).get())
                    .cause()
                    .isInstanceOf(TaskTimeoutException.class)
                    .hasMessageStartingWith("interrupted after 0.1 s (task 0 of submit");
            assertThat(hasty.map(x -> x, IntStream.range(0, 500)).toList()).hasSize(500);
            assertThat(outcomes(hasty.withChunkSize(3).map(x -> x == 1 ? slowly(x) : "" + x, IntStream.range(0, 3))))
                    .containsExactly("0", TaskTimeoutException.class, "2");
        }
    }

    @Test
    void closeReportsCancelledTasks() throws Exception {
        STARTED.set(0);
        INTERRUPTED.set(0);
        RankPool pool = RankPool.threads(1);
        RankFuture<String> running = pool.submit(x -> slowly(x), 1);
        RankFuture<String> waiting = pool.submit(x -> slowly(x), 2);
        waitUntil(() -> STARTED.get() == 1);
        assertThat(pool).hasToString("RankPool, 1 worker, 2 tasks of futures have not ended");
        assertThatThrownBy(pool::close)
                .isInstanceOf(UnfinishedTasksException.class)
                .hasMessage("close: 2 unfinished tasks were cancelled; call awaitAll() before close()");
        assertThatThrownBy(running::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(waiting::get).isInstanceOf(CancellationException.class);
        assertThat(INTERRUPTED.get()).isEqualTo(1);
        pool.close();
        assertThat(pool).hasToString("RankPool, closed");
        assertThatThrownBy(() -> pool.submit(x -> x, 1))
                .isInstanceOf(TaskRefusedException.class)
                .hasMessageContaining("the pool was closed");
    }

    @Test
    void aMapThatIsLeftEarlyIsNoError() {
        try (RankPool pool = RankPool.threads(2)) {
            for (int x : pool.map(x -> x, IntStream.range(0, 100_000))) if (x == 3) break;
        }
    }

    @Test
    void awaitAllWaits() throws Exception {
        RankFuture<Integer> last;
        try (RankPool pool = RankPool.threads(1)) {
            for (int i = 0; i < 100; i++) pool.submit(x -> x, i);
            last = pool.submit(
                    x -> {
                        Thread.sleep(50);
                        return x;
                    },
                    5);
            pool.awaitAll();
        }
        assertThat(last.get(1, TimeUnit.SECONDS)).isEqualTo(5);
    }

    private static RankPool nested;

    @Test
    void aTaskGivesNoTasks() throws Exception {
        try (RankPool pool = RankPool.threads(1)) {
            nested = pool;
            assertThatThrownBy(() ->
                            pool.submit(x -> nested.submit(y -> y, x).get(), 1).get())
                    .cause()
                    .isInstanceOf(TaskRefusedException.class)
                    .hasMessageContaining(
                            "submit: called by a task, which would wait for a worker that is waiting for the task");
        }
    }

    @Test
    void completionReturnsFinishedTasksInOrder() throws Exception {
        try (RankPool pool = RankPool.threads(3)) {
            RankCompletionService<List<Integer>> open = pool.completionService();
            open.submit(n -> n > 1 ? List.of(n / 2, n - n / 2) : List.of(), 64);
            int tasks = 0;
            while (open.pending() > 0) {
                tasks++;
                for (int n : open.take().get()) open.submit(m -> m > 1 ? List.of(m / 2, m - m / 2) : List.of(), n);
            }
            assertThat(tasks).isEqualTo(127);
            assertThat(open.poll()).isNull();
            assertThatThrownBy(open::take).hasMessageStartingWith("take: pending()=0");
        }
    }

    @Test
    void reductionsAreInOrderAndOfTheSameBits() {
        List<Double> numbers = new java.util.Random(7).doubles(10_000).boxed().toList();
        HashSet<Double> sums = new HashSet<>();
        for (int workers = 1; workers <= 4; workers++) {
            try (RankPool pool = RankPool.threads(workers)) {
                sums.add(pool.reduce(x -> Math.exp(x), numbers, (a, b) -> a + b));
                String digits =
                        pool.reduce(x -> x.toString(), IntStream.range(0, 700).boxed(), (a, b) -> a + b);
                assertThat(digits)
                        .isEqualTo(IntStream.range(0, 700)
                                .mapToObj(Integer::toString)
                                .reduce("", String::concat));
                assertThat(pool.withChunkSize(3)
                                .<Integer, Integer>reduce(x -> x, Stream.of(1, 2, 3, 4, 5), (a, b) -> a + b))
                        .isEqualTo(15);
                assertThatThrownBy(() -> pool.<Integer, Integer>reduce(x -> x, List.of(), (a, b) -> a + b))
                        .isInstanceOf(NoSuchElementException.class);
                assertThatThrownBy(() -> pool.<Integer, Integer>reduce(
                                x -> 1 / (x - 300),
                                IntStream.range(0, 1000).boxed().toList(),
                                (a, b) -> a + b))
                        .isInstanceOfSatisfying(
                                TaskFailedException.class,
                                e -> assertThat(e.taskNumber()).isEqualTo(300));
            }
        }
        assertThat(sums).hasSize(1);
    }

    @Test
    void eachIsAStepOfAStream() {
        try (RankPool pool = RankPool.threads(2)) {
            assertThat(Stream.of("a", "bb")
                            .gather(pool.gatherer(s -> s.length()))
                            .toList())
                    .containsExactly(1, 2);
            assertThat(IntStream.range(0, 5000)
                            .boxed()
                            .gather(pool.gatherer(x -> x * x))
                            .toList())
                    .isEqualTo(squares(5000));
            assertThat(Stream.iterate(0, x -> x + 1)
                            .gather(pool.withChunkSize(3).gatherer(x -> x * x))
                            .limit(200)
                            .toList())
                    .isEqualTo(squares(200));
        }
    }

    @Test
    void callOnAllRunsOnAllWorkersTogether() {
        try (RankPool pool = RankPool.threads(3)) {
            for (int round = 0; round < 3; round++) {
                assertThat(pool.callOnAll(
                                (workers, n) -> workers.allreduce(n * (workers.rank() + 1), org.tutti.mpi.Op.SUM), 10))
                        .containsExactly(60, 60, 60);
            }
            assertThatThrownBy(() -> pool.callOnAll((workers, n) -> 1 / n, 0))
                    .isInstanceOf(TaskFailedException.class)
                    .hasMessageContaining("/ by zero");
        }
    }

    @Test
    void manyThreadsGiveTasks() throws Exception {
        try (RankPool pool = RankPool.threads(2)) {
            AtomicLong sum = new AtomicLong();
            CountDownLatch left = new CountDownLatch(200);
            for (int i = 0; i < 200; i++) {
                int own = i;
                Thread.startVirtualThread(() -> {
                    for (int k = 0; k < 10; k++)
                        sum.addAndGet(pool.submit(x -> x + 1, own).join());
                    left.countDown();
                });
            }
            assertThat(left.await(100, TimeUnit.SECONDS)).isTrue();
            assertThat(sum.get()).isEqualTo(10L * 200 * 201 / 2);
        }
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() {
        try (RankPool pool = RankPool.threads(1)) {
            assertThatThrownBy(() -> pool.withChunkSize(0)).hasMessage("withChunkSize: tasks=0 is less than 1");
            assertThatThrownBy(() -> pool.withWindow(-1)).hasMessage("withWindow: tasks=-1 is less than 1");
            assertThatThrownBy(() -> pool.withTimeout(Duration.ZERO))
                    .hasMessage("withTimeout: limit=PT0S is not a valid time for a task");
        }
        assertThatThrownBy(() -> RankPool.threads(0)).hasMessage("threads: n=0 is less than 1");
        assertThatThrownBy(CurrentTask::random).hasMessageStartingWith("random: this thread runs no task of a pool");
    }

    @Test
    void anUndecodableArgumentFailsOnlyItsTask() {
        try (RankPool pool = RankPool.threads(2)) {
            List<Object> arguments = new ArrayList<>(List.of(new Even(2), new Even(4)));
            assertThat(pool.withChunkSize(2).map(x -> ((Even) x).n(), arguments).toList())
                    .containsExactly(2, 4);
        }
    }

    @Test
    void aSharedValueGoesToEachWorkerOnce() throws Exception {
        double[] numbers = IntStream.range(0, 100_000).mapToDouble(x -> x).toArray();
        try (RankPool pool = RankPool.threads(2)) {
            SharedValue<double[]> table = pool.share(numbers);
            assertThat(pool.map(q -> table.get()[q], IntStream.range(0, 1000)).stream()
                            .mapToDouble(x -> x)
                            .sum())
                    .isEqualTo(499_500);
            HashSet<Integer> copies = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                copies.add(
                        pool.submit(() -> System.identityHashCode(table.get())).get());
            }
            assertThat(copies).hasSizeLessThanOrEqualTo(2).doesNotContain(System.identityHashCode(numbers));
            table.close();
            assertThatThrownBy(table::get).hasMessage("get: the shared value was closed");
            assertThatThrownBy(() -> pool.submit(() -> table.get()[0]).get())
                    .cause()
                    .isInstanceOf(TaskRefusedException.class);
            try (SharedValue<Thread> thread = pool.share(new Thread())) {
                assertThatThrownBy(
                                () -> pool.submit(x -> thread.get() == null, 1).get())
                        .cause()
                        .isInstanceOf(TaskRefusedException.class)
                        .hasMessageContaining("java.lang.Thread cannot be sent");
                assertThatThrownBy(() ->
                                pool.map(x -> thread.get() == null, List.of(1)).toList())
                        .isInstanceOf(TaskRefusedException.class)
                        .hasMessageContaining("java.lang.Thread cannot be sent");
            }
            assertThat(pool.submit(x -> x, 7).get()).isEqualTo(7);
        }
    }

    @Test
    void aFutureIsCancelledWhileThePoolCloses() throws Exception {
        STARTED.set(0);
        RankPool pool = RankPool.threads(1);
        RankFuture<Integer> stubborn = pool.submit(x -> stubborn(x), 500);
        waitUntil(() -> STARTED.get() == 1);
        Thread closes = Thread.startVirtualThread(
                () -> assertThatThrownBy(pool::close).hasMessageStartingWith("close: 1 unfinished task was cancelled"));
        Thread.sleep(100);
        stubborn.cancel(true);
        closes.join();
        assertThat(stubborn.isCancelled()).isTrue();
    }

    private static int stubborn(int millis) {
        STARTED.incrementAndGet();
        long end = System.nanoTime() + millis * 1_000_000L;
        while (System.nanoTime() < end) Thread.onSpinWait();
        return millis;
    }
}
