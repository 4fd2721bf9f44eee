package org.tutti.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.launch.UsageException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// `tutti completion bash`: a script that completes commands, options and values in a shell.
@Command(
        name = "completion",
        description = "Prints a script that completes commands, options and values in bash, zsh or fish.",
        customSynopsis = "tutti completion bash|zsh|fish",
        footer = {
            "",
            "Installation for one user:",
            "  tutti completion bash > ~/.local/share/bash-completion/completions/tutti",
            "  tutti completion zsh > ~/.tutti.zsh; echo '. ~/.tutti.zsh' >> ~/.zshrc",
            "  tutti completion fish > ~/.config/fish/completions/tutti.fish",
            "For this shell only: eval \"$(tutti completion bash)\""
        })
final class CompletionCommand implements Callable<Integer> {
    private static final String NAME = "tutti";

    private static final String ZSH = """
            if ! typeset -f compdef >/dev/null; then autoload -U compinit && compinit; fi
            autoload -U bashcompinit && bashcompinit
            """;

    @Mixin
    final HelpOption help = new HelpOption();

    @Parameters(arity = "0..1", hidden = true, completionCandidates = Shells.class)
    String shell = "";

    /// The supported shells, for completion.
    static final class Shells extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Shells() {
            super(List.of("bash", "zsh", "fish"));
        }
    }

    @Override
    public Integer call() {
        CommandLine line = Commands.commandLine(true);
        System.out.print(
                switch (shell) {
                    case "bash" -> BashCompletion.script(NAME, line);
                    case "zsh" -> ZSH + BashCompletion.script(NAME, line);
                    case "fish" -> FishCompletion.script(NAME, line);
                    default ->
                        throw new UsageException("completion" + (shell.isEmpty() ? "" : " " + shell)
                                + ": name a shell: tutti completion bash, zsh or fish");
                });
        return 0;
    }
}
