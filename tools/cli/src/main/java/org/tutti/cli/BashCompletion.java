package org.tutti.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The completions of a command for bash, and for zsh with `bashcompinit`. The script of picocli's
/// `AutoComplete` confuses the values of different options if the options have the same parameter name. It also
/// does not complete `--mpi=`, and completes no file names after `run`.
///
/// The shell function scans the command line before the cursor for the command and for an option that needs a
/// value. Where the function returns no candidates, bash completes file names: after the program, and for the
/// values of options that have no list of values.
final class BashCompletion {
    // zsh reserves the variable names `path` and `words`, so the script does not use them
    private static final String SCRIPT = """
            # Completion of @NAME@ for bash, and for zsh after bashcompinit.
            _@NAME@() {
              local cur=${COMP_WORDS[COMP_CWORD]} at=@NAME@ list= option= word= i
              for ((i = 1; i < COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if [[ $word == '=' ]]; then continue; fi
                if [[ -n $option ]]; then option=; continue; fi
                case "$at $word" in
                  @COMMANDS@) at="$at $word" ;;
                  @VALUED@) option=$word ;;
                  @FLAGS@) ;;
                  @PROGRAMS@) COMPREPLY=(); return ;;
                esac
              done
              if [[ $cur == '=' ]]; then cur=; fi
              if [[ $cur == --*=* && -z $option ]]; then
                option=${cur%%=*}
                case "$at $option" in
            @WORDS@
                esac
                COMPREPLY=($(compgen -P "$option=" -W "$list" -- "${cur#*=}"))
                return
              fi
              if [[ -n $option ]]; then
                case "$at $option" in
            @WORDS@
                esac
              elif [[ $cur == -* ]]; then
                case $at in
            @OPTION_NAMES@
                esac
              else
                case $at in
            @ARGUMENTS@
                esac
              fi
              COMPREPLY=($(compgen -W "$list" -- "$cur"))
            }
            complete -o default -F _@NAME@ @NAME@
            """;

    private final List<String> commands = new ArrayList<>(), valued = new ArrayList<>(), programs = new ArrayList<>();
    private final List<String> words = new ArrayList<>(), names = new ArrayList<>(), arguments = new ArrayList<>();

    private BashCompletion() {}

    static String script(String name, CommandLine line) {
        BashCompletion all = new BashCompletion();
        all.add(name, line);
        return SCRIPT.replace("@OPTION_NAMES@", String.join("\n", all.names))
                .replace("@COMMANDS@", String.join(" | ", all.commands))
                .replace("@VALUED@", String.join(" | ", all.valued))
                .replace("@FLAGS@", all.programs.stream().map(p -> p + "-*").collect(Collectors.joining(" | ")))
                .replace("@PROGRAMS@", all.programs.stream().map(p -> p + "*").collect(Collectors.joining(" | ")))
                .replace("@ARGUMENTS@", String.join("\n", all.arguments))
                .replace("@WORDS@", String.join("\n", all.words))
                .replace("@NAME@", name);
    }

    /// @param at the full name of the command, such as `tutti bench compare`
    private void add(String at, CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        List<OptionSpec> options =
                spec.options().stream().filter(option -> !option.hidden()).toList();
        for (OptionSpec option : options) {
            if (option.arity().max() == 0) continue;
            String patterns = Arrays.stream(option.names())
                    .map(name -> "'" + at + " " + name + "'")
                    .collect(Collectors.joining(" | "));
            valued.add(patterns);
            if (!candidates(option).isEmpty()) words.add(branch(patterns, candidates(option)));
        }
        names.add(branch(
                "'" + at + "'",
                options.stream()
                        .flatMap(option -> Arrays.stream(option.names()))
                        .toList()));
        List<String> all = new ArrayList<>(line.getSubcommands().keySet());
        spec.positionalParameters().forEach(parameter -> all.addAll(candidates(parameter)));
        arguments.add(branch("'" + at + "'", all));
        if (line.isStopAtPositional()) programs.add("'" + at + " '");
        line.getSubcommands().forEach((word, inner) -> {
            commands.add("'" + at + " " + word + "'");
            add(at + " " + word, inner);
        });
    }

    private static String branch(String patterns, List<String> list) {
        return "      " + patterns + ") list='" + String.join(" ", list) + "' ;;";
    }

    static List<String> candidates(ArgSpec argument) {
        List<String> list = new ArrayList<>();
        if (argument.completionCandidates() != null)
            argument.completionCandidates().forEach(list::add);
        return list;
    }
}
