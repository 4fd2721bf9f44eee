package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// The completions of a command for fish: one line for each subcommand and option. The condition of a line
/// determines where on the command line it applies.
final class FishCompletion {
    private static final String NO_COMMAND = "__fish_use_subcommand", SEEN = "__fish_seen_subcommand_from ";

    private final String name;
    private final StringBuilder text = new StringBuilder();

    private FishCompletion(String name) {
        this.name = name;
    }

    static String script(String name, CommandLine line) {
        FishCompletion all = new FishCompletion(name);
        all.command(line, NO_COMMAND);
        return all.text.toString();
    }

    /// @param condition true if the cursor is in a position for the options and subcommands of the command
    private void command(CommandLine command, String condition) {
        CommandSpec spec = command.getCommandSpec();
        Map<String, CommandLine> inner = command.getSubcommands();
        boolean isNested = !inner.isEmpty() && !condition.equals(NO_COMMAND);
        String here = isNested ? condition + "; and not " + SEEN + String.join(" ", inner.keySet()) : condition;
        for (OptionSpec option : spec.options()) if (!option.hidden()) option(option, here);
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            for (String value : BashCompletion.candidates(parameter)) add(here, List.of("-f", "-a", quoted(value)));
        }
        inner.forEach((word, sub) -> {
            add(here, List.of("-f", "-a", word, "-d", quoted(description(sub.getCommandSpec()))));
            command(sub, condition.equals(NO_COMMAND) ? SEEN + word : condition + "; and " + SEEN + word);
        });
    }

    private void option(OptionSpec option, String condition) {
        List<String> words = new ArrayList<>();
        for (String word : option.names()) {
            if (word.startsWith("--")) words.addAll(List.of("-l", word.substring(2)));
            else words.addAll(List.of(word.length() == 2 ? "-s" : "-o", word.substring(1)));
        }
        List<String> values = BashCompletion.candidates(option);
        if (option.arity().max() > 0) words.add(values.isEmpty() ? "-r" : "-x");
        if (!values.isEmpty()) words.addAll(List.of("-a", quoted(String.join(" ", values))));
        words.addAll(List.of("-d", quoted(String.join(" ", option.description()))));
        add(condition, words);
    }

    private static String description(CommandSpec spec) {
        String[] lines = spec.usageMessage().description();
        return lines.length == 0 ? "" : lines[0];
    }

    private void add(String condition, List<String> words) {
        text.append("complete -c ").append(name).append(" -n ").append(quoted(condition));
        for (String word : words) text.append(' ').append(word);
        text.append('\n');
    }

    /// Returns the text in single quotes, as fish reads it.
    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
