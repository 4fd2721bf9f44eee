package org.tutti.job.environment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings of `tutti serve` for the service, which runs on rank 0. The settings contain no secrets: tokens
/// and passwords are stored in files, and a setting may contain the name of such a file.
///
/// @param state the directory for the service's files
/// @param port the port; 0 means any free port
/// @param listen the address on which the service listens; null means the loopback address, which other
///     machines cannot reach
/// @param names further host names that a request may use for the service
/// @param keyStore the key store for TLS; null if TLS is not used
/// @param keyStorePassword the file with the password of the key store
/// @param usesProxy whether a proxy in front of the service terminates TLS
/// @param allowRoot whether the service may run as root
public record ServiceSettings(
        Path state,
        int port,
        @Nullable String listen,
        List<String> names,
        @Nullable Path keyStore,
        @Nullable Path keyStorePassword,
        boolean usesProxy,
        boolean allowRoot) {
    public static final int PORT = 8080, MOST_PORT = 65_535;
    public static final Path STATE = Path.of("tutti-serve");

    private static final String PREFIX = "TUTTI_SERVE_";
    private static final String STATE_DIR = PREFIX + "STATE", PORT_NUMBER = PREFIX + "PORT";
    private static final String LISTEN = PREFIX + "LISTEN", NAMES = PREFIX + "NAMES";
    private static final String KEY_STORE = PREFIX + "KEY_STORE", PASSWORD = PREFIX + "KEY_STORE_PASSWORD_FILE";
    private static final String PROXY = PREFIX + "BEHIND_PROXY", ROOT = PREFIX + "ALLOW_ROOT";

    /// The variable with the process id of the launcher. The id is checked, because programs that the service
    /// starts inherit the variables.
    private static final String LAUNCHER = PREFIX + "LAUNCHER";

    /// A second variable with the process id of the launcher. It is set only if the stderr of ranks is shown on
    /// a terminal and not stored in a file.
    private static final String TERMINAL = PREFIX + "TERMINAL";

    public ServiceSettings {
        names = List.copyOf(names);
        if (port < 0 || port > MOST_PORT) {
            throw new IllegalArgumentException("the port of a service is 0 to " + MOST_PORT + ", not " + port);
        }
    }

    /// Returns the settings of a program that was not started by `tutti serve`.
    public static ServiceSettings defaults() {
        return new ServiceSettings(STATE, PORT, null, List.of(), null, null, false, false);
    }

    /// Returns the settings in the environment. Throws an [IllegalArgumentException] if a variable is invalid.
    public static ServiceSettings ofEnvironment() {
        return of(System.getenv());
    }

    static ServiceSettings of(Map<String, String> variables) {
        String state = variables.get(STATE_DIR), port = variables.get(PORT_NUMBER), names = variables.get(NAMES);
        String keyStore = variables.get(KEY_STORE), password = variables.get(PASSWORD);
        int number;
        try {
            number = port == null ? PORT : Integer.parseInt(port);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(PORT_NUMBER + "=" + port + " is not a port");
        }
        return new ServiceSettings(
                state == null ? STATE : Path.of(state),
                number,
                variables.get(LISTEN),
                names == null ? List.of() : List.of(names.split(",")),
                keyStore == null ? null : Path.of(keyStore),
                password == null ? null : Path.of(password),
                variables.containsKey(PROXY),
                variables.containsKey(ROOT));
    }

    /// Returns the variable, as `NAME=VALUE`, by which ranks of this launcher detect that they are part of a
    /// service.
    public static String launchedHere() {
        return LAUNCHER + "=" + ProcessHandle.current().pid();
    }

    /// Returns whether the launcher of this process is `tutti serve`.
    public static boolean isOf(long launcherPid) {
        return Long.toString(launcherPid).equals(System.getenv(LAUNCHER));
    }

    /// Returns the variable, as `NAME=VALUE`, that permits the service to print a link that contains a token.
    public static String onTerminal() {
        return TERMINAL + "=" + ProcessHandle.current().pid();
    }

    /// Returns whether the stderr of this process is shown only on the launcher's terminal.
    public static boolean isOnTerminalOf(long launcherPid) {
        return Long.toString(launcherPid).equals(System.getenv(TERMINAL));
    }

    /// Returns the variables, as `NAME=VALUE`, that [#ofEnvironment] reads.
    public List<String> variables() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put(STATE_DIR, state);
        all.put(PORT_NUMBER, port);
        if (listen != null) all.put(LISTEN, listen);
        if (!names.isEmpty()) all.put(NAMES, String.join(",", names));
        if (keyStore != null) all.put(KEY_STORE, keyStore);
        if (keyStorePassword != null) all.put(PASSWORD, keyStorePassword);
        if (usesProxy) all.put(PROXY, 1);
        if (allowRoot) all.put(ROOT, 1);
        List<String> words = new ArrayList<>();
        all.forEach((name, value) -> words.add(name + "=" + value));
        return words;
    }
}
