package org.tutti.cli.doctor.settings;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A row of the table: what a setting does, for some values, in some versions, on some machines.
///
/// @param name as the library calls it: parameters of Open MPI without `OMPI_MCA_`
/// @param only on which machines; null on all
/// @param values of which values; null of all
/// @param since the first version of which it is true; null for the first there was
/// @param until the first of which it is not; null where there is none yet
/// @param type `flag`, `value` and `pair` for options: how many words follow
/// @param byDefault its default; null where none is known
/// @param meaning a sentence or two
/// @param instead what to use, or to do; null where nothing is wrong
/// @param source where this is written
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

    /// What must hold of the machine.
    public enum Condition {
        /// It has no RDMA card.
        NO_FABRIC("@no-fabric"),
        /// The value names a network interface that it does not have.
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

    /// Its name as it is set: with its prefix.
    public String title() {
        return owner.isBare() && !name.startsWith("OMPI_") ? owner.prefix() + name : name;
    }

    /// Of which values, versions and machines it speaks, in words that follow the verdict; empty of all.
    public String scope() {
        StringBuilder words = new StringBuilder();
        if (values != null) words.append(", for values like ").append(values);
        if (only == Condition.NO_FABRIC) words.append(", on a machine without RDMA cards");
        if (only == Condition.UNKNOWN_INTERFACE) words.append(", if the interface is not there");
        String whose = owner.installedAs().title();
        if (since != null) words.append(", since ").append(whose).append(' ').append(since);
        if (until != null) words.append(", gone in ").append(whose).append(' ').append(until);
        return words.toString();
    }

    /// Whether it speaks of this value, on this machine.
    boolean isOf(String value, MachineTraits here) {
        if (values != null && !values.matcher(value).matches()) return false;
        return switch (only) {
            case null -> true;
            case NO_FABRIC -> !here.hasFabric();
            case UNKNOWN_INTERFACE -> here.lacksInterface(value);
        };
    }

    /// Whether it is true of this version; an unknown one counts as the newest.
    boolean isOf(@Nullable String version) {
        if (version == null) return until == null;
        return (since == null || Versions.compare(version, since) >= 0)
                && (until == null || Versions.compare(version, until) < 0);
    }
}
