package org.tutti.lab.stress.count;

import java.util.Map;
import java.util.StringJoiner;

/// The count of one call.
///
/// @param call the name of the call
/// @param accesses accesses to memory segments through a `VarHandle`: the accesses to shared memory
/// @param values reads and writes by `MemorySegment.get` and `set`, for example of short operands
/// @param methods how often each method is executed; overloaded methods count together
/// @param bytes the size of the bytecode of the distinct methods
/// @param largest the size of the bytecode of each method, of overloaded methods the largest
public record CallCount(
        String call, int accesses, int values, int bytes, Map<String, Integer> methods, Map<String, Integer> largest) {
    /// Returns the number of executed methods.
    public int total() {
        return methods.values().stream().mapToInt(Integer::intValue).sum();
    }

    /// Returns the methods that are executed more often than in `before`, each with the two counts.
    String moreThan(Map<String, Integer> before) {
        StringJoiner more = new StringJoiner(", ");
        more.setEmptyValue("none");
        methods.forEach((name, count) -> {
            int then = before.getOrDefault(name, 0);
            if (count > then) more.add(name + " " + count + (then == 0 ? " (new)" : " (" + then + ")"));
        });
        return more.toString();
    }
}
