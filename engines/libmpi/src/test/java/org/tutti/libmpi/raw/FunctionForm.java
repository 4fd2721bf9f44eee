package org.tutti.libmpi.raw;

import java.util.Map;
import java.util.regex.Pattern;
import org.tutti.mpi.PersistentRequest;
import org.tutti.mpi.Request;

/// The form implied by the name of an MPI function, such as nonblocking, persistent or setter, and whether a
/// method has this form.
final class FunctionForm {
    private static final String COLLECTIVE = "(?:Neighbor_)?(?:gather|scatter|allgather|alltoall)";

    private static final Map<String, Pattern> FORMS = Map.of(
            "nonblocking",
            Pattern.compile(
                    "MPI_I(?!n(?:it|fo|ter)|s_|m?probe)[a-z_]+(?<!_init)|MPI_R(?:put|get|accumulate|get_accumulate)"
                            + "|MPI_File_i(?:read|write)_?\\w*|MPI_Comm_i\\w+|MPI_(?:Buffer|Session)_iflush\\w*"),
            "persistent",
            Pattern.compile("MPI_\\w+_init"),
            "with hints",
            Pattern.compile("MPI_\\w+_(?:set|with)_info"),
            "a map",
            Pattern.compile("MPI_\\w+_get_(?:pset_)?info"),
            "a setter",
            Pattern.compile("MPI_\\w+_set_(?:name|size|view|attr|atomicity|elements)"),
            "a getter",
            Pattern.compile("MPI_\\w+_get_(?!address|info|pset)\\w+"),
            "of blocks",
            Pattern.compile(
                    "MPI_I?" + COLLECTIVE + "v(?:_init)?|MPI_I?reduce_scatter(?:_init)?", Pattern.CASE_INSENSITIVE));

    private FunctionForm() {}

    /// Returns the form; empty if the function's name implies none.
    static String of(String function) {
        if (function.equals("MPI_Session_init")) return "";
        return FORMS.entrySet().stream()
                .filter(form -> form.getValue().matcher(function).matches())
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst()
                .orElse("");
    }

    static boolean fits(String form, ApiName name) {
        return switch (form) {
            case "nonblocking" -> all(name, Request.class);
            case "persistent" -> all(name, PersistentRequest.class);
            case "with hints" -> name.shape().contains("Map");
            case "a map" -> all(name, Map.class);
            case "a setter" -> name.takesArguments();
            case "a getter" -> !name.results().isEmpty() && !name.results().contains(void.class);
            case "of blocks" -> name.toString().equals("Buf.blocks");
            default -> throw new IllegalArgumentException(form);
        };
    }

    private static boolean all(ApiName name, Class<?> result) {
        return !name.results().isEmpty() && name.results().stream().allMatch(result::isAssignableFrom);
    }
}
