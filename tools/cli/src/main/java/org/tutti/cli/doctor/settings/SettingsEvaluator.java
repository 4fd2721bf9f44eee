package org.tutti.cli.doctor.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.doctor.settings.Parameters.Parameter;

/// Determines the effect of a setting on a machine.
public final class SettingsEvaluator {
    /// Open MPI 5 replaced the runtime ORTE by PRRTE.
    private static final String FIRST_WITH_PRRTE = "5.0";

    /// If a component of these frameworks is missing, the job or mpirun ends (observed with 4.1.4). Open MPI opens
    /// other frameworks, such as mtl and io, only when needed.
    private static final Set<String> OPENED_ALWAYS = Set.of("btl", "coll", "pml", "osc", "plm", "rmaps");

    private static final Set<String> NUMBERS =
            Set.of("int", "unsigned_int", "unsigned_long", "unsigned_long_long", "size_t");
    private static final Set<String> TRUTHS =
            Set.of("0", "1", "f", "t", "false", "true", "disabled", "enabled", "no", "yes", "n", "y");

    private static final String LEAVE_OUT = "leave it out";

    private final SettingsTable knowledge;
    private final MachineTraits here;

    public SettingsEvaluator(SettingsTable knowledge, MachineTraits here) {
        this.knowledge = knowledge;
        this.here = here;
    }

    public Evaluation evaluate(Setting setting) {
        Evaluation evaluation = decide(setting);
        Owner owner = setting.owner();
        boolean lacks = here.version(owner.installedAs()) == null;
        // RCCL reads NCCL's names
        if (owner == Owner.NCCL && here.version(Owner.RCCL) != null) lacks = false;
        if (!lacks || evaluation.verdict() == Verdict.FICTIONAL) return evaluation;
        return new Evaluation(
                setting,
                evaluation.verdict(),
                evaluation.since(),
                evaluation.meaning() + " (" + owner.title() + " was not found here.)",
                evaluation.remedy());
    }

    private Evaluation decide(Setting setting) {
        Owner owner = setting.owner();
        String version = known(here.version(owner.installedAs()));
        if (owner == Owner.PRRTE && version != null && Versions.compare(version, FIRST_WITH_PRRTE) < 0) {
            return evaluation(
                    setting,
                    Verdict.IGNORED,
                    "Open MPI " + version + " has a separate runtime, and no PRRTE that reads this.",
                    "use OMPI_MCA_ names, or mpirun's options");
        }
        List<Fact> facts = knowledge.facts(owner, setting.name());
        Fact fact = fits(facts, setting.value(), version);
        if (fact != null && fact.verdict() != Verdict.OK) return by(setting, fact);
        if (owner == Owner.OPENMPI && !setting.name().startsWith("OMPI_")) {
            Parameters parameters = here.openMpi();
            if (parameters != null) return byItself(setting, parameters, facts, fact, version);
        }
        if (fact != null) return by(setting, fact);
        if (!facts.isEmpty()) return outside(setting, facts, version);
        return unknown(setting);
    }

    private static @Nullable String known(@Nullable String version) {
        return version == null || version.isEmpty() ? null : version;
    }

    private @Nullable Fact fits(List<Fact> facts, String value, @Nullable String version) {
        for (Fact fact : facts) if (fact.isOf(value, here) && fact.isOf(version)) return fact;
        return null;
    }

    private Evaluation by(Setting setting, Fact fact) {
        String remedy = fact.instead();
        if (fact.verdict() == Verdict.OK || remedy == null)
            return evaluation(setting, fact.verdict(), fact.meaning(), null);
        return evaluation(
                setting, fact.verdict(), fact.meaning(), remedy.startsWith(LEAVE_OUT) ? remedy : "use " + remedy);
    }

    private static Evaluation evaluation(Setting setting, Verdict verdict, String meaning, @Nullable String remedy) {
        return new Evaluation(setting, verdict, null, meaning, remedy);
    }

    /// Evaluates a setting for which the table has rows, but not for this version; an unknown version counts as
    /// the newest.
    private static Evaluation outside(Setting setting, List<Fact> facts, @Nullable String version) {
        Fact removed = null, next = null;
        for (Fact fact : facts) {
            String until = fact.until(), since = fact.since();
            if (until != null && (version == null || Versions.compare(until, version) <= 0)) removed = fact;
            if (since == null || next != null || version == null) continue;
            if (Versions.compare(since, version) > 0) next = fact;
        }
        String title = setting.owner().installedAs().title();
        if (removed != null) {
            String instead = removed.instead();
            String remedy = instead == null ? LEAVE_OUT : instead.startsWith(LEAVE_OUT) ? instead : "use " + instead;
            String meaning =
                    removed.meaning() + " " + title + (version == null ? "" : " " + version) + " ignores it silently.";
            return new Evaluation(setting, Verdict.REMOVED, removed.until(), meaning, remedy);
        }
        String added = next == null ? "another version" : String.valueOf(next.since());
        String meaning = next == null ? "" : next.meaning() + " ";
        return evaluation(
                setting,
                Verdict.IGNORED,
                meaning + "Added in " + added + "; installed is " + version + ".",
                next == null || next.instead() == null ? LEAVE_OUT : "use " + next.instead());
    }

    /// Evaluates a setting by Open MPI's output, if no row of the table with a verdict other than [Verdict#OK]
    /// applies. Such a row has priority, because Open MPI does not report, for example, which values end a job.
    private Evaluation byItself(
            Setting setting, Parameters parameters, List<Fact> facts, @Nullable Fact fact, @Nullable String version) {
        String name = setting.name(), value = setting.value();
        String title = "Open MPI" + (version == null ? "" : " " + version);
        if (parameters.isFramework(name)) {
            List<String> missing = parameters.missing(name, value);
            if (!missing.isEmpty()) {
                boolean fatal = OPENED_ALWAYS.contains(name);
                List<String> similar = SimilarNames.of(missing.getFirst(), parameters.components(name));
                return evaluation(
                        setting,
                        fatal ? Verdict.FATAL : Verdict.IGNORED,
                        "This " + title + " has no component " + String.join(", ", missing) + " in " + name
                                + (fatal ? ", and ends the job." : "."),
                        (similar.isEmpty() ? "" : "did you mean " + similar.getFirst() + "? ") + "it has "
                                + String.join(
                                        ", ",
                                        parameters.components(name).stream()
                                                .sorted()
                                                .toList()));
            }
        }
        Parameter parameter = parameters.get(name);
        if (parameter == null) {
            if (fact != null) {
                return evaluation(
                        setting,
                        Verdict.IGNORED,
                        fact.meaning() + " This " + title + " was built without it.",
                        LEAVE_OUT);
            }
            return facts.isEmpty() ? unknown(setting) : outside(setting, facts, version);
        }
        String meaning = fact == null ? parameter.help() : fact.meaning();
        if (!takes(parameter, value)) {
            // an invalid verbosity ends a job (observed with 4.1.4); other invalid values are ignored
            boolean fatal = name.endsWith("_verbose");
            String words = parameter.words().isEmpty()
                    ? parameter.type()
                    : String.join(", ", parameter.words().stream().sorted().toList());
            return evaluation(
                    setting,
                    fatal ? Verdict.FATAL : Verdict.IGNORED,
                    meaning + " " + value + " is not a valid value"
                            + (fatal ? ", and ends the job." : ": Open MPI at most warns, and uses another value."),
                    "it takes " + words);
        }
        if (parameter.synonymOf() != null) {
            return evaluation(setting, Verdict.OK, meaning + " An old name of " + parameter.synonymOf() + ".", null);
        }
        return evaluation(setting, Verdict.OK, meaning, null);
    }

    private static boolean takes(Parameter parameter, String value) {
        String word = value.toLowerCase(Locale.ROOT);
        if (parameter.type().equals("bool")) return TRUTHS.contains(word) || word.matches("-?\\d+");
        if (!NUMBERS.contains(parameter.type())) return true;
        if (word.matches("-?(0x)?[0-9a-f]*\\d[0-9a-f]*[kmg]?b?")) return true;
        // if the parameter consists of flags, the value may also be a list of the flags' names
        for (String part : word.split(",")) if (!parameter.words().contains(part)) return false;
        return true;
    }

    private Evaluation unknown(Setting setting) {
        Owner owner = setting.owner();
        String name = setting.name();
        if (owner.isLauncher()) return unknownOption(setting);
        Set<String> names = here.names(owner);
        if (names == null && owner == Owner.NCCL) names = here.names(Owner.RCCL);
        if (names != null && names.contains(name)) {
            return evaluation(
                    setting,
                    Verdict.OK,
                    "This " + owner.title() + " supports this name; Tutti's table does not describe it.",
                    null);
        }
        Collection<String> all = new ArrayList<>(knowledge.names(owner));
        if (owner == Owner.RCCL) all.addAll(knowledge.names(Owner.NCCL));
        if (owner == Owner.OPENMPI) {
            Parameters parameters = here.openMpi();
            if (parameters != null) all.addAll(parameters.names());
        }
        if (names != null) all.addAll(names);
        all.removeIf(other -> isFictional(owner, other));
        List<String> similar = SimilarNames.of(name, all);
        String meaning = owner == Owner.UCX
                ? "Not in Tutti's table; UCX warns about unknown names (ucx_info -c -f lists all names)."
                : "Unknown name; " + owner.title() + " ignores such names silently.";
        return evaluation(setting, Verdict.UNKNOWN, meaning, didYouMean(owner, similar));
    }

    private boolean isFictional(Owner owner, String name) {
        List<Fact> facts = knowledge.facts(owner, name);
        return !facts.isEmpty() && facts.getFirst().verdict() == Verdict.FICTIONAL;
    }

    private Evaluation unknownOption(Setting setting) {
        Owner owner = setting.owner(), other = owner == Owner.MPIRUN ? Owner.MPIEXEC : Owner.MPIRUN;
        if (!knowledge.facts(other, knowledge.option(other, setting.shown())).isEmpty()) {
            return evaluation(
                    setting,
                    Verdict.FATAL,
                    "An option of " + other.title() + "; " + owner.title() + " does not support it, and exits.",
                    "see " + (owner == Owner.MPIRUN ? "mpirun(1)" : "mpiexec -help") + ", or let tutti run translate");
        }
        List<String> similar = SimilarNames.of(setting.name(), knowledge.names(owner));
        return evaluation(
                setting,
                Verdict.UNKNOWN,
                "Not in Tutti's table; " + owner.title() + " exits at unknown options.",
                didYouMean(owner, similar));
    }

    private static String didYouMean(Owner owner, List<String> similar) {
        if (similar.isEmpty()) return LEAVE_OUT;
        String prefix = owner.isBare() ? owner.prefix() : "";
        return "did you mean " + prefix + String.join(" or " + prefix, similar) + "?";
    }
}
