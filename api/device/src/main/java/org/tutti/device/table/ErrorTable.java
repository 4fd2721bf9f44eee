package org.tutti.device.table;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.device.spi.DeviceFault.Reason;

/// The codes that the functions of a library return, as declared in a [TableFile]: `code`, a column of names
/// for each library, and optionally a `reason` and an `advice`.
public final class ErrorTable {
    private final Map<Integer, Map<String, String>> rows = new HashMap<>();

    private ErrorTable(List<Map<String, String>> lines, String resource) {
        for (Map<String, String> line : lines) {
            Integer code = Integer.valueOf(line.getOrDefault("code", ""));
            if (rows.put(code, line) != null) throw new IllegalStateException(resource + ": two lines for " + code);
        }
    }

    /// Reads the resource of this name that is stored next to a class.
    public static ErrorTable read(Class<?> owner, String resource) {
        return new ErrorTable(TableFile.lines(owner, resource), resource);
    }

    /// Returns the name of a code; null if the library has no name for it.
    ///
    /// @param column the column of the library's names
    public @Nullable String name(int code, String column) {
        return cell(code, column);
    }

    /// Returns the name and the number of a code, for example `CUDA_ERROR_OUT_OF_MEMORY (2)`, or `error 12345`
    /// for a code without a name.
    public String text(int code, String column) {
        String name = name(code, column);
        return name == null ? "error " + code : name + " (" + code + ")";
    }

    /// Returns the reason of the fault; [Reason#FAILED] if the table has no reason.
    public Reason reason(int code) {
        String reason = cell(code, "reason");
        return reason == null ? Reason.FAILED : Reason.valueOf(reason);
    }

    /// Returns the advice for a user; null if the table has no advice.
    public @Nullable String advice(int code) {
        return cell(code, "advice");
    }

    private @Nullable String cell(int code, String column) {
        Map<String, String> row = rows.get(code);
        return row == null ? null : row.get(column);
    }
}
