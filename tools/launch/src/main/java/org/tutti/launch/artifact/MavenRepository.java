package org.tutti.launch.artifact;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.launch.UsageException;

/// A repository in a line `//REPOS`: a name defined by jbang, or a URL. Either may be preceded by `id=`.
public record MavenRepository(String id, String url) {
    private static final Map<String, String> KNOWN = new TreeMap<>(Map.of(
            "mavencentral", "https://repo.maven.apache.org/maven2/",
            "central", "https://repo.maven.apache.org/maven2/",
            "google", "https://maven.google.com/",
            "jitpack", "https://jitpack.io/",
            "jbossorg", "https://repository.jboss.org/nexus/content/groups/public/",
            "redhat", "https://maven.repository.redhat.com/ga/",
            "sponge", "https://repo.spongepowered.org/maven"));

    private static final String URL = "(https?|file):.+";

    /// The id of Maven Central, by which Maven's settings refer to it.
    private static final String CENTRAL = "central";

    /// @throws UsageException if the text contains no URL and no name that jbang defines
    static MavenRepository of(String text) {
        int equals = text.matches(URL) ? -1 : text.indexOf('='); // a URL may contain the sign
        String place = text.substring(equals + 1);
        String known = KNOWN.get(place.toLowerCase(Locale.ROOT));
        if (known == null && !place.matches(URL)) {
            throw new UsageException(
                    "//REPOS " + text + ": " + place + " is not a URL; names are " + String.join(", ", KNOWN.keySet()));
        }
        String id = equals > 0 ? text.substring(0, equals) : known == null ? place : place.toLowerCase(Locale.ROOT);
        return new MavenRepository(
                id.equals("mavencentral") ? CENTRAL : id.replaceAll("[^\\w.-]", "_"), known == null ? place : known);
    }
}
