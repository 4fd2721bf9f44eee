package org.tutti.libmpi;

import java.util.Arrays;
import java.util.stream.Collectors;

/// What processes that are spawned are told.
///
/// @param first the number of the first of them, among all processes that can meet
/// @param parents the numbers of those that have spawned them
record Invitation(int first, int[] parents) {
    static Invitation of(String text) {
        int[] numbers =
                Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
        return new Invitation(numbers[0], Arrays.copyOfRange(numbers, 1, numbers.length));
    }

    String text() {
        return first + Arrays.stream(parents).mapToObj(p -> " " + p).collect(Collectors.joining());
    }
}
