package org.tutti.launch.calls;

import java.util.Arrays;

/// A growing list of `int` values.
final class IntList {
    private int[] numbers = new int[16];
    private int size;

    void add(int number) {
        if (size == numbers.length) numbers = Arrays.copyOf(numbers, 2 * size);
        numbers[size++] = number;
    }

    int get(int i) {
        return numbers[i];
    }

    int size() {
        return size;
    }
}
