package org.tutti.cli.doctor.settings;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A row of the table: the effect of a setting, for some values, in some versions, on some machines.
///
/// @param name the name that the library uses; for parameters of Open MPI, without the prefix `OMPI_MCA_`
/// @param only the condition on the machine; null for all machines
/// @param values the values to which the row applies; null for all
/// @param since the first version to which the row applies; null for the first version that exists
/// @param until the first version to which the row does not apply; null if unlimited
/// @param type for options, `flag`, `value` or `pair`: zero, one or two arguments follow
/// @param byDefault the default; null if unknown
/// @param meaning one or two sentences
/// @param instead the replacement or remedy; or null
/// @param source where this is documented
public record Fact(
        Owner owner,
        String name,
        @Nullable Condition only,
        @Nullable Pattern values,
        @Nullable String since,
        @Nullable String until,
        Verdict verdict,
        String type,
        @Nullable String byDefault,
        String meaning,
        @Nullable String instead,
        String source) {

    /// A condition on the machine.
    public enum Condition {
        /// The machine has no RDMA card.
        NO_FABRIC("@no-fabric"),
        /// The value names a network interface that does not exist.
        UNKNOWN_INTERFACE("@unknown-interface");

        private final String word;

        Condition(String word) {
            this.word = word;
        }

        static @Nullable Condition named(String word) {
            for (Condition condition : values()) if (condition.word.equals(word)) return condition;
            return null;
        }
    }

    /// Returns the name as it is set, with the prefix.
    public String title() {
        return owner.isBare() && !name.startsWith("OMPI_") ? owner.prefix() + name : name;
    }

    /// Returns the values, versions and machines to which the row applies, as text after the verdict; empty for
    /// all.
    public String scope() {
        StringBuilder words = new StringBuilder();
        if (values != null) words.append(", for values like ").append(values);
        if (only == Condition.NO_FABRIC) words.append(", on a machine without RDMA cards");
        if (only == Condition.UNKNOWN_INTERFACE) words.append(", if the interface does not exist");
        String ownerTitle = owner.installedAs().title();
        if (since != null)
            words.append(", since ").append(ownerTitle).append(' ').append(since);
        if (until != null)
            words.append(", removed in ").append(ownerTitle).append(' ').append(until);
        return words.toString();
    }

    /// Whether the row applies to this value, on this machine.
    boolean isOf(String value, MachineTraits here) {
        if (values != null && !values.matcher(value).matches()) return false;
        return switch (only) {
            case null -> true;
            case NO_FABRIC -> !here.hasFabric();
            case UNKNOWN_INTERFACE -> here.lacksInterface(value);
        };
    }

    /// Whether the row applies to this version; an unknown version counts as the newest.
    boolean isOf(@Nullable String version) {
        if (version == null) return until == null;
        return (since == null || Versions.compare(version, since) >= 0)
                && (until == null || Versions.compare(version, until) < 0);
    }
}
