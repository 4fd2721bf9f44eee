package programs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.tutti.futures.RankFunction;
import org.tutti.futures.RankPool;

/// Makes typical mistakes in tasks, and prints the pool's message for each.
public final class PoolMistakes {
    private final double[] table = {1, 2};

    private PoolMistakes() {}

    /// A class of values. It is not a record, so it cannot be sent.
    static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    /// A call that contains one of the mistakes.
    private interface Mistake {
        Object make(RankPool pool) throws Exception;
    }

    private Object usesItsField(RankPool pool) throws Exception {
        return pool.submit(i -> table[i], 0).get();
    }

    private static final class Inner {
        private final int of = 3;

        Object use(RankPool pool) throws Exception {
            return pool.map(x -> x * of, List.of(1)).toList();
        }
    }

    private static List<Mistake> all() {
        List<Integer> results = new ArrayList<>();
        AtomicInteger count = new AtomicInteger();
        Thread thread = Thread.currentThread();
        Point point = new Point(3);
        Iterator<Integer> numbers = results.iterator();
        Object lock = new Object();
        return List.of(
                pool -> new PoolMistakes().usesItsField(pool),
                pool -> new Inner().use(pool),
                pool -> pool.map(x -> count.addAndGet(x), List.of(1)).toList(),
                pool -> pool.map(x -> thread.getName() + x, List.of(1)).toList(),
                pool -> pool.map(x -> point.x + x, List.of(1)).toList(),
                pool -> pool.map(x -> numbers.hasNext() ? x : 0, List.of(1)).toList(),
                pool -> pool.map(x -> lock.hashCode() + x, List.of(1)).toList(),
                pool -> pool.map(x -> pool.workerCount() + x, List.of(1)).toList(),
                pool -> pool.submit(
                                new RankFunction<Integer, Integer>() {
                                    private static final long serialVersionUID = 1;

                                    @Override
                                    public Integer apply(Integer x) {
                                        return x;
                                    }
                                },
                                1)
                        .get(),
                pool -> pool.submit(x -> x, Stream.of(1)).get(),
                pool -> pool.submit(x -> new Point(x), 1).get(),
                pool -> pool.submit(x -> (Serializable & Runnable) () -> {}, 1).get(),
                pool -> pool.asExecutorService().submit((Runnable) () -> {}));
    }

    public static void main(String[] args) throws Exception {
        RankPool.run(pool -> {
            for (Mistake mistake : all()) {
                try {
                    System.out.println("went well: " + mistake.make(pool));
                } catch (RejectedExecutionException e) {
                    System.out.println(e.getMessage());
                } catch (ExecutionException e) {
                    System.out.println(e.getCause().getMessage());
                } catch (RuntimeException e) {
                    System.out.println(e.getMessage());
                }
            }
        });
    }
}
