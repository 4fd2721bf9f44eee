package org.tutti.cli;

import picocli.CommandLine.Option;

/// The option `--help` of every command.
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean isAsked;
}
