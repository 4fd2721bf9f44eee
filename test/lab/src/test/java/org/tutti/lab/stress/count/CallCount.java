package org.tutti.lab.stress.count;

import java.util.Map;
import java.util.StringJoiner;

/// The counts for one call.
///
/// @param call the name of the call
/// @param accesses the number of accesses to memory segments through a `VarHandle`, such as accesses to shared
///     memory
/// @param values the number of reads and writes with `MemorySegment.get` and `set`, for example of short
///     operands
/// @param methods the number of executions of each method; overloaded methods count as one
/// @param bytes the total bytecode size of the executed methods, each counted once
/// @param largest the bytecode size of each method, or of the largest of several overloaded methods
public record CallCount(
        String call, int accesses, int values, int bytes, Map<String, Integer> methods, Map<String, Integer> largest) {
    /// Returns the number of method executions.
    public int total() {
        return methods.values().stream().mapToInt(Integer::intValue).sum();
    }

    /// Returns the methods with more executions than in `before`, each with the two counts.
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
