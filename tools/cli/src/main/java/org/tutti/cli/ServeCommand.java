package org.tutti.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.job.environment.ServiceSettings;
import org.tutti.launch.UsageException;
import org.tutti.launch.machine.Terminal;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `tutti serve`: `tutti run` for a service program, with the settings that the service on rank 0 reads.
final class ServeCommand implements Callable<Integer> {
    private static final String PORT = "--port", STATE = "--state", LISTEN = "--listen", NAME = "--public-name";
    private static final String TLS = "--tls", PASSWORD = "--tls-password-file", PROXY = "--behind-proxy";
    private static final String ROOT = "--allow-run-as-root";

    private static final int STDERR = 2;

    private final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("serve");

    private ServeCommand() {}

    /// @param showsAll whether the help has all options of `tutti run`
    static CommandSpec spec(boolean showsAll) {
        ServeCommand command = new ServeCommand();
        CommandSpec spec = command.spec;
        spec.parser().stopAtPositional(true);
        spec.addOption(word(PORT, "PORT", "The port of the service. Default: 8080; 0 for a free port."));
        spec.addOption(word(
                STATE,
                "DIR",
                "Directory of tokens, jobs and the address. Default: tutti-serve. Used by one service at a time."));
        spec.addOption(word(
                LISTEN,
                "ADDRESS",
                "The address to listen on, 0.0.0.0 for all; needs " + TLS + " or " + PROXY
                        + ". Default: 127.0.0.1, which no other machine reaches."));
        spec.addOption(
                word(NAME, "HOST[:PORT]", "A host name that requests may use besides the address; may be repeated."));
        spec.addOption(word(TLS, "KEYSTORE", "Serve HTTPS (TLS 1.3), with the key of this PKCS#12 file."));
        spec.addOption(word(PASSWORD, "FILE", "The file with the password of the keystore."));
        spec.addOption(flag(PROXY, "A proxy in front of the service provides TLS."));
        spec.addOption(flag(ROOT, "Permit serving as root: holders of a token run the functions as root."));
        List<OptionHelp.Group> groups = new ArrayList<>();
        groups.add(new OptionHelp.Group(
                "Options:",
                true,
                spec.options().stream().map(OptionSpec::longestName).toList()));
        for (OptionHelp.Group group : RunCommand.groups()) {
            groups.add(new OptionHelp.Group(
                    "tutti run, " + group.heading().toLowerCase(Locale.ROOT), false, group.names()));
        }
        RunCommand.addOptions(spec);
        OptionHelp.install(spec, groups, showsAll);
        spec.usageMessage()
                .customSynopsis("tutti serve [options] PROGRAM [arguments]")
                .description(
                        "Serves the functions of a program by HTTP: its ranks execute the requests of clients.",
                        "The program opens a pool and serves, see docs/service.md:",
                        "  Service.of(pool).addFunction(\"pi\", n -> Pi.estimate(n),",
                        "          Integer.class, Double.class).serve();",
                        "The options of tutti run are supported, too.")
                .footer(
                        "",
                        "Examples:",
                        "  tutti serve -n 5 App.java         rank 0 serves, 1 to 4 run jobs",
                        "  tutti serve -n 5 --port 0 --state jobs App.java",
                        "  tutti serve -n 5 --listen 0.0.0.0 --tls k.p12 --tls-password-file pw App.java");
        return spec;
    }

    private static OptionSpec word(String name, String parameter, String help) {
        return OptionSpec.builder(name)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .arity("1")
                .paramLabel(parameter)
                .description(help)
                .build();
    }

    private static OptionSpec flag(String name, String help) {
        return OptionSpec.builder(name)
                .type(boolean.class)
                .arity("0")
                .description(help)
                .build();
    }

    @Override
    public Integer call() throws Exception {
        ParseResult parsed = spec.commandLine().getParseResult();
        PartArguments part = RunCommand.read(parsed);
        if (part.program().isEmpty()) throw new UsageException(nothingToServe(part));
        ServiceSettings settings = settings(parsed);
        if (!parsed.hasMatchedOption(ROOT) && isRoot()) {
            throw new UsageException(
                    "a service executes requests of clients, and this process runs as root; start it as"
                            + " another user, or with " + ROOT);
        }
        for (String variable : settings.variables()) part.add(RunOption.ENV, variable);
        part.add(RunOption.ENV, ServiceSettings.launchedHere());
        if (Terminal.is(STDERR) && !part.has(RunOption.OUTPUT_DIR))
            part.add(RunOption.ENV, ServiceSettings.onTerminal());
        RunArguments run = new RunArguments();
        run.add(part);
        return run.run();
    }

    /// Whether this user is root. Checked before ranks are started, because rank 0 would fail later.
    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not Linux; the service checks again
        }
    }

    private static String nothingToServe(PartArguments part) {
        String taken = part.takenProgram();
        return "nothing to serve" + (taken == null ? "" : ", for " + taken)
                + "; name a source file, a main class or a jar: tutti serve -n 5 App.java";
    }

    private static ServiceSettings settings(ParseResult parsed) {
        String listen = last(parsed, LISTEN), keys = last(parsed, TLS), password = last(parsed, PASSWORD);
        boolean proxy = parsed.hasMatchedOption(PROXY);
        if (keys != null && password == null) throw new UsageException(TLS + " needs " + PASSWORD + " FILE, too");
        String state = last(parsed, STATE);
        if (state != null && Path.of(state).toAbsolutePath().normalize().getParent() == null) {
            throw new UsageException(STATE + " " + state + " is the root directory; name one below it");
        }
        return new ServiceSettings(
                // ranks may have a different working directory
                Path.of(state == null ? ServiceSettings.STATE.toString() : state)
                        .toAbsolutePath(),
                port(last(parsed, PORT)),
                listen,
                all(parsed, NAME),
                absolute(keys),
                absolute(password),
                proxy,
                parsed.hasMatchedOption(ROOT));
    }

    private static @Nullable Path absolute(@Nullable String file) {
        return file == null ? null : Path.of(file).toAbsolutePath();
    }

    private static int port(@Nullable String text) {
        if (text == null) return ServiceSettings.PORT;
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= ServiceSettings.MOST_PORT) return port;
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new UsageException(PORT + " " + text + ": a port is 0 to " + ServiceSettings.MOST_PORT);
    }

    private static List<String> all(ParseResult parsed, String name) {
        ArgSpec option = parsed.matchedOption(name);
        return option == null ? List.of() : new ArrayList<>(option.originalStringValues());
    }

    private static @Nullable String last(ParseResult parsed, String name) {
        List<String> given = all(parsed, name);
        return given.isEmpty() ? null : given.getLast();
    }
}
