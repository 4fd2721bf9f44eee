package org.tutti.device.table;

import java.util.Map;

/// Numbers of a C header, as declared in a [TableFile]: a line for each constant of an enum.
///
/// @param <E> the enum
public final class HeaderNumbers<E extends Enum<E>> {
    private final int[] numbers;

    private HeaderNumbers(int[] numbers) {
        this.numbers = numbers;
    }

    /// Reads one column of the resource of this name next to `owner`.
    public static <E extends Enum<E>> HeaderNumbers<E> read(
            Class<E> constants, Class<?> owner, String resource, String column) {
        int[] numbers = new int[constants.getEnumConstants().length];
        for (Map.Entry<E, Map<String, String>> row :
                TableFile.rows(constants, owner, resource).entrySet()) {
            numbers[row.getKey().ordinal()] = Integer.decode(row.getValue().getOrDefault(column, ""));
        }
        return new HeaderNumbers<>(numbers);
    }

    public int of(E constant) {
        return numbers[constant.ordinal()];
    }
}
