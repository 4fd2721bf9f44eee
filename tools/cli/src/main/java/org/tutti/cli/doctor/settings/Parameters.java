package org.tutti.cli.doctor.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The output of `ompi_info --parsable --all`: the parameters and the components of an Open MPI installation.
///
///     mca:btl:vader:param:btl_vader_eager_limit:type:size_t
///     mca:btl:base:param:btl_base_verbose:enumerator:value:0:error
///     mca:btl:vader:version:"component:4.1.4"
public final class Parameters {
    /// @param type `int`, `bool`, `string`, …
    /// @param words the permitted names; empty if all values are permitted
    /// @param synonymOf the newer name; null if this is the current name
    /// @param help the line with which the library describes the parameter
    record Parameter(
            String name,
            String type,
            Set<String> words,
            @Nullable String synonymOf,
            String help) {}

    private static final String MCA = "mca:";

    private final Map<String, Parameter> parameters = new HashMap<>();
    private final Map<String, Set<String>> components = new HashMap<>();

    private Parameters() {}

    /// Returns null if the lines have a different format.
    public static @Nullable Parameters parse(List<String> lines) {
        Parameters all = new Parameters();
        Map<String, String> types = new HashMap<>(), synonyms = new HashMap<>(), helps = new HashMap<>();
        Map<String, Set<String>> words = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (String line : lines) {
            if (!line.startsWith(MCA)) continue;
            String[] part = line.split(":", 8);
            if (part.length > 3 && part[3].equals("version")) {
                all.components
                        .computeIfAbsent(part[1], framework -> new HashSet<>())
                        .add(part[2]);
            }
            if (part.length < 7 || !part[3].equals("param")) continue;
            String name = part[4];
            switch (part[5]) {
                case "value" -> names.add(name);
                case "type" -> types.put(name, part[6]);
                case "help" -> helps.put(name, part.length > 7 ? part[6] + ":" + part[7] : part[6]);
                case "synonym_of" -> {
                    if (part.length > 7) synonyms.put(name, part[7]);
                }
                case "enumerator" -> {
                    if (part.length > 7) {
                        int colon = part[7].indexOf(':');
                        Set<String> values = words.computeIfAbsent(name, n -> new HashSet<>());
                        values.add(colon < 0 ? part[7] : part[7].substring(0, colon));
                        if (colon >= 0) values.add(part[7].substring(colon + 1));
                    }
                }
                default -> {
                    // source, level, status: not needed
                }
            }
        }
        for (String name : names) {
            all.parameters.put(
                    name,
                    new Parameter(
                            name,
                            types.getOrDefault(name, "string"),
                            words.getOrDefault(name, Set.of()),
                            synonyms.get(name),
                            helps.getOrDefault(name, "")));
        }
        return names.isEmpty() ? null : all;
    }

    @Nullable
    Parameter get(String name) {
        return parameters.get(name);
    }

    Collection<String> names() {
        return parameters.keySet();
    }

    /// Whether the name denotes a framework, set to a list of components.
    boolean isFramework(String name) {
        return components.containsKey(name);
    }

    /// Returns the components of a list such as `self,vader` that are not installed; empty for a list that
    /// begins with `^`.
    List<String> missing(String framework, String value) {
        if (value.startsWith("^")) return List.of();
        Set<String> here = components.getOrDefault(framework, Set.of());
        List<String> missing = new ArrayList<>();
        for (String component : value.split(",")) {
            if (!component.isBlank() && !here.contains(component.strip())) missing.add(component.strip());
        }
        return missing;
    }

    Set<String> components(String framework) {
        return components.getOrDefault(framework, Set.of());
    }
}
