package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// The list of options in the help of a command, in groups and on 80 columns: `-n N  Number of ranks`.
///
/// For a command with many options, `--help` shows only the first groups; `--help all` shows all groups.
final class OptionHelp implements IHelpSectionRenderer {
    static final String ALL = "all";

    private static final String KEY = UsageMessageSpec.SECTION_KEY_OPTION_LIST, HELP = "--help";
    private static final int WIDTH = 80, INDENT = 2, DESCRIPTION_AT = 26, GAP = 2;

    /// @param isShort whether `--help` shows the group
    record Group(String heading, boolean isShort, List<String> names) {}

    private final List<Group> groups;
    private final boolean showsAll;

    private OptionHelp(List<Group> groups, boolean showsAll) {
        this.groups = groups;
        this.showsAll = showsAll;
    }

    /// Sets the groups of a command. Options that are in no group are listed at the end of the first group.
    static void install(CommandSpec spec, List<Group> groups, boolean showsAll) {
        spec.usageMessage()
                .width(WIDTH)
                .abbreviateSynopsis(true)
                .sectionMap()
                .put(KEY, new OptionHelp(groups, showsAll));
    }

    /// Sets one group for each command that has no groups, and does the same for the subcommands.
    static void installAll(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        if (!(spec.usageMessage().sectionMap().get(KEY) instanceof OptionHelp)) {
            install(spec, List.of(new Group("", true, List.of())), true);
        }
        line.getSubcommands().values().forEach(OptionHelp::installAll);
    }

    /// Whether the command line requests all groups: the names of commands, then `--help all`. After a program,
    /// `--help all` is an argument of the program.
    static boolean isForAll(List<String> words, CommandLine line) {
        int at = words.size() - 2;
        if (at < 0 || !words.get(at + 1).equals(ALL) || !List.of(HELP, "-h").contains(words.get(at))) return false;
        CommandLine command = line;
        for (String word : words.subList(0, at)) {
            command = command.getSubcommands().get(word);
            if (command == null) return false;
        }
        return true;
    }

    @Override
    public String render(Help help) {
        CommandSpec spec = help.commandSpec();
        StringBuilder text = new StringBuilder();
        List<String> more = new ArrayList<>();
        for (Group group : groups) {
            if (!group.isShort && !showsAll) {
                more.add(heading(group).toLowerCase(Locale.ROOT));
                continue;
            }
            if (!group.heading.isEmpty())
                text.append('\n').append(group.heading).append('\n');
            for (String name : group.names) append(text, spec.findOption(name));
            if (group == groups.getFirst()) {
                spec.options().stream().filter(o -> !isGrouped(o)).forEach(o -> append(text, o));
            }
        }
        if (more.isEmpty()) return text.toString();
        String rest = spec.qualifiedName() + " --help all shows more options: " + String.join("; ", more) + ".";
        text.append('\n');
        for (String line : wrapped(rest, WIDTH)) text.append(line).append('\n');
        return text.toString();
    }

    private static String heading(Group group) {
        return group.heading.endsWith(":") ? group.heading.substring(0, group.heading.length() - 1) : group.heading;
    }

    private boolean isGrouped(OptionSpec option) {
        return groups.stream()
                .flatMap(group -> group.names.stream())
                .anyMatch(name -> List.of(option.names()).contains(name));
    }

    private void append(StringBuilder text, OptionSpec option) {
        if (option.hidden()) return;
        boolean isHelp = List.of(option.names()).contains(HELP) && groups.size() > 1;
        String parameter = isHelp ? "[" + ALL + "]" : option.arity().max() == 0 ? "" : option.paramLabel();
        String names = String.join(", ", option.names()) + (parameter.isEmpty() ? "" : " " + parameter);
        String description =
                isHelp ? "Show this help; with all, every option." : String.join(" ", option.description());
        text.append(" ".repeat(INDENT)).append(names);
        int column = INDENT + names.length();
        if (column + GAP > DESCRIPTION_AT) {
            text.append('\n');
            column = 0;
        }
        for (String line : wrapped(description, WIDTH - DESCRIPTION_AT)) {
            text.append(" ".repeat(DESCRIPTION_AT - column)).append(line).append('\n');
            column = 0;
        }
    }

    static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
