package org.tutti.device.table;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The C functions that Tutti calls through an interface, as declared in a [TableFile]: a line for each
/// constant of an enum.
///
/// The column `arguments` has a character for each argument: `i` is an `int`; `p` is a pointer, a handle or a
/// size; `h` is the 64 bytes of a handle for other processes; and `u` is the 128 bytes of a unique id. The C
/// function takes `h` and `u` by value; the caller passes an address. `result` is `i` (the default), `p`, `t`
/// for a C string, or `v` for void. `use` is `optional` if a library without the function can be used. The
/// other columns have the names, one column for each library.
///
/// @param <F> the enum
public final class FunctionRows<F extends Enum<F>> {
    private final Class<F> functions;
    private final Map<F, Map<String, String>> rows;

    private FunctionRows(Class<F> functions, Map<F, Map<String, String>> rows) {
        this.functions = functions;
        this.rows = rows;
    }

    /// Reads the resource of this name next to the enum.
    public static <F extends Enum<F>> FunctionRows<F> read(Class<F> functions, String resource) {
        return new FunctionRows<>(functions, TableFile.rows(functions, functions, resource));
    }

    F[] functions() {
        return functions.getEnumConstants();
    }

    /// Returns the name of the function in a library; null if no version of the library has the function.
    ///
    /// @param column the column of the library's names
    public @Nullable String name(F function, String column) {
        return cell(function, column);
    }

    /// Returns the letters of the arguments.
    public String arguments(F function) {
        return Objects.requireNonNullElse(cell(function, "arguments"), "");
    }

    /// Returns the character of the result.
    public char result(F function) {
        String result = cell(function, "result");
        return result == null ? 'i' : result.charAt(0);
    }

    /// Returns whether a library without the function can be used.
    public boolean isOptional(F function) {
        return "optional".equals(cell(function, "use"));
    }

    private @Nullable String cell(F function, String column) {
        Map<String, String> row = rows.get(function);
        return row == null ? null : row.get(column);
    }
}
