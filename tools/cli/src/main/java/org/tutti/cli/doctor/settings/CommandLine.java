package org.tutti.cli.doctor.settings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.library.NativeLibrary;

/// Parses the options of an mpirun or mpiexec: `--map-by numa --mca btl self,vader -x UCX_TLS=tcp`.
///
/// The command line may begin with the launcher's name, which determines the owner of the options. The options
/// end at the program: the first argument that does not belong to an option.
final class CommandLine {
    private static final String MPICH = "mpich";
    private static final List<String> OF_OPEN_MPI = List.of("--mca", "--gmca");
    private static final List<String> OF_PRRTE = List.of("--prtemca");
    private static final List<String> OF_VARIABLES = List.of("-x", "-genv", "-env");

    private final SettingsTable knowledge;
    private final List<String> words;
    private final Owner owner;
    private final List<Setting> found = new ArrayList<>();
    private int at;

    private CommandLine(SettingsTable knowledge, List<String> words, Owner owner) {
        this.knowledge = knowledge;
        this.words = words;
        this.owner = owner;
    }

    /// @param otherwise the owner of the options if the command line does not begin with a launcher
    static List<Setting> read(SettingsTable knowledge, List<String> words, Owner otherwise) {
        if (words.isEmpty()) return List.of();
        String first = words.getFirst();
        boolean named = !first.startsWith("-");
        Owner owner = named ? launcher(first, otherwise) : otherwise;
        CommandLine line = new CommandLine(knowledge, named ? words.subList(1, words.size()) : words, owner);
        line.read();
        return line.found;
    }

    private static Owner launcher(String name, Owner otherwise) {
        String word = NativeLibrary.wordOf(Path.of(name));
        if (word == null) return otherwise;
        return word.equals(MPICH) ? Owner.MPIEXEC : Owner.MPIRUN;
    }

    private void read() {
        while (at < words.size() && words.get(at).startsWith("-")) {
            String word = words.get(at++);
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            String shown = equals < 0 ? word : word.substring(0, equals);
            String option = knowledge.option(owner, shown);
            List<Fact> facts = knowledge.facts(owner, option);
            String type = facts.isEmpty() ? guess(shown) : facts.getFirst().type();
            switch (type) {
                case "flag" -> add(option, shown, "");
                case "pair" -> pair(option, shown, !facts.isEmpty());
                default -> value(option, shown, equals < 0 ? next() : word.substring(equals + 1));
            }
        }
    }

    /// Returns the likely type of an option that this launcher does not have: `flag`, `value` or `pair`. If the
    /// other launcher has the option, the type is the same as there; otherwise, the type is derived from the
    /// next two arguments.
    private String guess(String shown) {
        Owner other = owner == Owner.MPIRUN ? Owner.MPIEXEC : Owner.MPIRUN;
        List<Fact> facts = knowledge.facts(other, knowledge.option(other, shown));
        if (!facts.isEmpty()) return facts.getFirst().type();
        boolean word = at < words.size() && !words.get(at).startsWith("-");
        boolean optionsFollow = at + 1 < words.size() && words.get(at + 1).startsWith("-");
        return word && optionsFollow ? "value" : "flag";
    }

    private String next() {
        return at < words.size() ? words.get(at++) : "";
    }

    private void value(String option, String shown, String value) {
        int equals = value.indexOf('=');
        Setting variable = OF_VARIABLES.contains(option) && equals > 0
                ? variable(value.substring(0, equals), value.substring(equals + 1), option)
                : null;
        if (variable == null) add(option, shown, value);
        else found.add(variable);
    }

    /// @param known whether this launcher has the option
    private void pair(String option, String shown, boolean known) {
        String name = next(), value = next();
        if (!known) {
            add(option, shown, name + " " + value);
        } else if (OF_OPEN_MPI.contains(option)) {
            found.add(new Setting(Owner.OPENMPI, name, shown + " " + name, value, Setting.COMMAND_LINE));
        } else if (OF_PRRTE.contains(option)) {
            found.add(new Setting(Owner.PRRTE, name, shown + " " + name, value, Setting.COMMAND_LINE));
        } else {
            Setting variable = variable(name, value, option);
            if (variable == null) add(option, shown, name + " " + value);
            else found.add(variable);
        }
    }

    private @Nullable Setting variable(String name, String value, String option) {
        Owner of = knowledge.ownerOf(name);
        if (of == null) return null;
        return new Setting(of, knowledge.canonical(of, name), name, value, Setting.COMMAND_LINE + ", " + option);
    }

    private void add(String option, String shown, String value) {
        found.add(new Setting(owner, option, shown, value, Setting.COMMAND_LINE));
    }
}
