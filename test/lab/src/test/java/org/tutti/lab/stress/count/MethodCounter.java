package org.tutti.lab.stress.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Counts the methods that one thread executes. [CountingLoader] inserts the calls of [#hit(int)], [#access()]
/// and [#value()].
public final class MethodCounter {
    private record Method(String name, int codeBytes) {}

    private static final List<Method> METHODS = new ArrayList<>();
    private static final int[] HITS = new int[1 << 15];
    private static int accesses;
    private static int values;

    /// The counted thread, or null.
    private static volatile @Nullable Thread counted;

    private MethodCounter() {}

    /// Registers a method and returns the id.
    static int register(String name, int codeBytes) {
        synchronized (METHODS) {
            if (METHODS.size() == HITS.length) throw new IllegalStateException("more than " + HITS.length + " methods");
            METHODS.add(new Method(name, codeBytes));
            return METHODS.size() - 1;
        }
    }

    /// Counts an execution of the method `id`. Inserted at the entry of each method.
    public static void hit(int id) {
        if (Thread.currentThread() == counted) HITS[id]++;
    }

    /// Counts an access to a segment through a `VarHandle`. Inserted before the access.
    public static void access() {
        if (Thread.currentThread() == counted) accesses++;
    }

    /// Counts a read or write by a method of `MemorySegment`. Inserted before the call.
    public static void value() {
        if (Thread.currentThread() == counted) values++;
    }

    /// Starts to count the methods of the calling thread.
    public static void start() {
        Arrays.fill(HITS, 0);
        accesses = 0;
        values = 0;
        counted = Thread.currentThread();
    }

    /// Stops counting, and returns the counts since [#start].
    public static CallCount stop(String call) {
        counted = null;
        int bytes = 0;
        Map<String, Integer> methods = new TreeMap<>(), largest = new TreeMap<>();
        synchronized (METHODS) {
            for (int id = 0; id < METHODS.size(); id++) {
                if (HITS[id] == 0) continue;
                Method method = METHODS.get(id);
                bytes += method.codeBytes;
                methods.merge(method.name, HITS[id], Integer::sum);
                largest.merge(method.name, method.codeBytes, Math::max);
            }
        }
        return new CallCount(call, accesses, values, bytes, methods, largest);
    }
}
