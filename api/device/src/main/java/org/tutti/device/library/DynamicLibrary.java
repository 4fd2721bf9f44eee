package org.tutti.device.library;

import java.io.IOException;
import java.lang.foreign.SymbolLookup;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// An optional C library, with the list of all searched locations.
///
///     property ─▶ names, by the loader ─▶ homes: lib64, lib ─▶ directories ─▶ site-packages of Python
///
/// @param symbols the symbols of the library; null if the library was not found
/// @param path the name or path that was loaded; null if the library was not found
public record DynamicLibrary(
        @Nullable SymbolLookup symbols, @Nullable String path, List<Attempt> attempts) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final int DIGITS = 20;

    public DynamicLibrary {
        attempts = List.copyOf(attempts);
    }

    /// Searches for a library, and loads the first file that can be loaded. For files that do not exist, the
    /// list of attempts contains only the directory.
    public static DynamicLibrary find(LibrarySearch search) {
        return find(search, System.getProperty(search.property()), System.getenv());
    }

    static DynamicLibrary find(LibrarySearch search, @Nullable String property, Map<String, String> environment) {
        List<Attempt> attempts = new ArrayList<>();
        if (property != null) {
            DynamicLibrary named = load(List.of(property), attempts);
            return named != null
                    ? named
                    : new DynamicLibrary(
                            null,
                            null,
                            List.of(new Attempt(
                                    search.property() + "=" + property,
                                    attempts.getLast().failure())));
        }
        DynamicLibrary found = load(search.names(), attempts);
        if (found != null) return found;
        for (Path directory : directories(search, environment)) {
            found = load(files(directory, search.names(), attempts), attempts);
            if (found != null) return found;
        }
        for (Path site : SitePackages.of(environment)) {
            found = load(files(site, search.packages(), attempts), attempts);
            if (found != null) return found;
        }
        return new DynamicLibrary(null, null, attempts);
    }

    /// Loads the first library that can be loaded. Returns null if there is no such library.
    private static @Nullable DynamicLibrary load(List<String> names, List<Attempt> attempts) {
        for (String name : names) {
            Loader.Loaded loaded = Loader.load(name);
            attempts.add(new Attempt(name, loaded.failure()));
            if (loaded.symbols() != null) return new DynamicLibrary(loaded.symbols(), name, attempts);
        }
        return null;
    }

    private static List<Path> directories(LibrarySearch search, Map<String, String> environment) {
        List<Path> all = new ArrayList<>();
        for (String home : search.homes()) {
            String value = environment.get(home);
            if (value == null || value.isEmpty()) continue;
            all.add(Path.of(value, "lib64"));
            all.add(Path.of(value, "lib"));
        }
        for (String pattern : search.directories()) all.addAll(matching(pattern));
        return all;
    }

    /// Returns the names that exist in the directory; adds a failed attempt if none exists.
    private static List<String> files(Path directory, List<String> names, List<Attempt> attempts) {
        List<String> there = new ArrayList<>();
        for (String name : names) {
            Path file = directory.resolve(name);
            if (Files.exists(file)) there.add(file.toString());
        }
        if (there.isEmpty() && !names.isEmpty()) {
            String failure = Files.isDirectory(directory) ? "no " + String.join(", ", names) : "no such directory";
            attempts.add(new Attempt(directory.toString(), failure));
        }
        return there;
    }

    /// Returns the directories that match, in descending order, so that the newest version is first. Numbers
    /// are compared by value.
    static List<Path> matching(String pattern) {
        List<Path> found = List.of(Path.of("/"));
        for (Path part : Path.of(pattern)) {
            List<Path> next = new ArrayList<>();
            for (Path directory : found) next.addAll(below(directory, part.toString()));
            found = next;
        }
        return found;
    }

    private static List<Path> below(Path directory, String part) {
        if (!part.contains("*")) {
            Path path = directory.resolve(part);
            return Files.isDirectory(path) ? List.of(path) : List.of();
        }
        List<Path> matching = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, part)) {
            for (Path entry : entries) if (Files.isDirectory(entry)) matching.add(entry);
        } catch (IOException e) {
            return List.of();
        }
        matching.sort(Comparator.comparing(DynamicLibrary::padded).reversed());
        return matching;
    }

    /// Returns a sort key in which numbers are ordered by value, so that `python3.12` follows `python3.9`.
    private static String padded(Path path) {
        return NUMBER.matcher(path.getFileName().toString())
                .replaceAll(number ->
                        "0".repeat(Math.max(0, DIGITS - number.group().length())) + number.group());
    }
}
