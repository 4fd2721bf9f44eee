package org.tutti.launch.artifact;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// The name of an artifact in the format of jbang: `group:name:version[:classifier][@type]`.
///
/// @param version a version, or a range of Maven; empty if a BOM in the same source file determines the version
/// @param classifier empty for none
/// @param type the extension of the file, or a type of Maven; `pom` for a BOM
public record MavenCoordinates(String group, String name, String version, String classifier, String type) {
    /// Matches coordinates. A part contains no path separators, because the parts become names of files in the
    /// local repository.
    private static final Pattern FORMAT = Pattern.compile("([^:@/\\\\\\s\\p{Cntrl}]+):([^:@/\\\\\\s\\p{Cntrl}]+)"
            + "(?::([^:@/\\\\\\p{Cntrl}]*))?(?::([^:@/\\\\\\p{Cntrl}]*))?(?:@([^:@/\\\\\\s\\p{Cntrl}]+))?");

    /// Texts that denote directories and are therefore not valid as a name or a version.
    private static final Set<String> NO_NAMES = Set.of(".", "..");

    /// @throws UsageException if the text has a different format
    public static MavenCoordinates of(String text) {
        Matcher parts = FORMAT.matcher(text);
        if (!parts.matches() || NO_NAMES.contains(parts.group(2)) || NO_NAMES.contains(orEmpty(parts.group(3)))) {
            throw new UsageException(
                    text + " is not the name of a library; write group:name:version[:classifier][@type], as in"
                            + " com.google.code.gson:gson:2.11.0");
        }
        return new MavenCoordinates(
                parts.group(1),
                parts.group(2),
                version(orEmpty(parts.group(3))),
                orEmpty(parts.group(4)),
                parts.group(5) == null ? "jar" : parts.group(5));
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    /// Converts jbang's `1.2+`, which is version 1.2 or any later one, to a range of Maven.
    private static String version(String text) {
        return text.endsWith("+") ? "[" + text.substring(0, text.length() - 1) + ",)" : text;
    }

    /// Whether this is a BOM, which contains versions of other artifacts.
    public boolean isBom() {
        return type.equals("pom");
    }

    @Override
    public String toString() {
        return group + ":" + name + (version.isEmpty() ? "" : ":" + version)
                + (classifier.isEmpty() ? "" : ":" + classifier) + (type.equals("jar") ? "" : "@" + type);
    }
}
