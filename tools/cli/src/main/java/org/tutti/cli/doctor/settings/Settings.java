package org.tutti.cli.doctor.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Reads the user's settings from the environment, the configuration files of the libraries, and a command line.
public final class Settings {
    /// A configuration file, and the software that reads it.
    private record Source(Path file, Owner owner) {}

    private Settings() {}

    /// Returns the settings in the environment, then the settings in files.
    ///
    /// @param root the root of the machine's files
    /// @param home the user's directory
    public static List<Setting> of(Map<String, String> env, Path root, Path home, SettingsTable knowledge) {
        List<Setting> found = new ArrayList<>();
        boolean inJob = env.containsKey("OMPI_COMM_WORLD_RANK");
        for (Map.Entry<String, String> entry : new TreeMap<>(env).entrySet()) {
            String variable = entry.getKey();
            Owner owner = knowledge.ownerOf(variable);
            // an mpirun passes much information to the ranks in variables of the same form; these are not
            // settings of the user
            boolean isFromMpirun = inJob && owner != null && owner.isBare();
            if (owner == null || isFromMpirun) continue;
            found.add(new Setting(
                    owner, knowledge.canonical(owner, variable), variable, entry.getValue(), Setting.ENVIRONMENT));
        }
        for (Source source : sources(env, root, home)) read(source, knowledge, found);
        return found;
    }

    /// Returns the settings on a command line; `otherwise` is the owner of the options if the command line does
    /// not begin with a launcher's name.
    public static List<Setting> of(List<String> words, SettingsTable knowledge, Owner otherwise) {
        return CommandLine.read(knowledge, words, otherwise);
    }

    /// Returns the existing files of the libraries in `owners`.
    public static List<Path> files(Map<String, String> env, Path root, Path home, Set<Owner> owners) {
        return sources(env, root, home).stream()
                .filter(source -> owners.contains(source.owner) && Files.isRegularFile(source.file))
                .map(Source::file)
                .toList();
    }

    private static List<Source> sources(Map<String, String> env, Path root, Path home) {
        List<Source> files = new ArrayList<>();
        files.add(new Source(root.resolve("etc/openmpi/openmpi-mca-params.conf"), Owner.OPENMPI));
        files.add(new Source(home.resolve(".openmpi/mca-params.conf"), Owner.OPENMPI));
        files.add(new Source(root.resolve("etc/prte-mca-params.conf"), Owner.PRRTE));
        files.add(new Source(home.resolve(".prte/mca-params.conf"), Owner.PRRTE));
        files.add(new Source(root.resolve("etc/pmix-mca-params.conf"), Owner.PMIX));
        files.add(new Source(home.resolve(".pmix/mca-params.conf"), Owner.PMIX));
        files.add(new Source(root.resolve("etc/nccl.conf"), Owner.NCCL));
        String named = env.get("NCCL_CONF_FILE");
        files.add(new Source(named == null ? home.resolve(".nccl.conf") : Path.of(named), Owner.NCCL));
        files.add(new Source(root.resolve("etc/rccl.conf"), Owner.RCCL));
        files.add(new Source(home.resolve(".rccl.conf"), Owner.RCCL));
        files.add(new Source(root.resolve("etc/ucx/ucx.conf"), Owner.UCX));
        String directory = env.get("UCX_CONFIG_DIR");
        if (directory != null) files.add(new Source(Path.of(directory, "ucx.conf"), Owner.UCX));
        files.add(new Source(home.resolve("ucx.conf"), Owner.UCX));
        return files;
    }

    /// Reads lines `name = value`; `#` begins a comment.
    private static void read(Source source, SettingsTable knowledge, List<Setting> into) {
        List<String> lines;
        try {
            if (!Files.isRegularFile(source.file)) return;
            lines = Files.readAllLines(source.file);
        } catch (IOException e) {
            return; // the library cannot read this file either
        }
        for (String line : lines) {
            String bare = line.strip();
            int equals = bare.indexOf('=');
            if (bare.startsWith("#") || bare.startsWith("[") || equals <= 0) continue;
            String shown = bare.substring(0, equals).strip(),
                    value = bare.substring(equals + 1).strip();
            Owner of = Owner.ofVariable(shown);
            // in a file, parameters have no prefix; a name with a prefix is a different, unknown name
            Owner owner = source.owner.isBare() || of == null ? source.owner : of;
            String name = source.owner.isBare() ? shown : knowledge.canonical(owner, shown);
            into.add(new Setting(owner, name, shown, value, source.file.toString()));
        }
    }
}
