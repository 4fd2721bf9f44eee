package org.tutti.cli;

import picocli.CommandLine.Option;

/// `--help`, which every command has.
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean isAsked;
}
