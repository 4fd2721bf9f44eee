package org.tutti.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The parts of highlight.js in the WebJar: the core, and one script per language.
///
/// The WebJar contains the core only together with 36 languages, 127 KB in all. A page loads the core, 21 KB, and
/// the languages of the code on the page.
final class Highlighter {
    private static final String PROPERTIES = "META-INF/maven/org.webjars/highlightjs/pom.properties";
    private static final String FOLDER = "META-INF/resources/webjars/highlightjs/";

    /// Matches the end of the core, and the languages up to the end of the enclosing function.
    private static final Pattern LANGUAGES = Pattern.compile(
            "(;(\\w+)\\.newInstance=\\(\\)=>\\w+\\(\\{\\}\\);).*\\}\\s*return \\w+\\}\\(\\)", Pattern.DOTALL);

    private Highlighter() {}

    static String core() throws IOException {
        String all = resource("highlight.min.js");
        Matcher languages = LANGUAGES.matcher(all);
        if (!languages.find()) {
            throw new SiteException("highlight.min.js: the end of the core is not found; adapt Highlighter.LANGUAGES"
                    + " to the version of the WebJar");
        }
        return languages.replaceFirst("$1return $2}()");
    }

    /// Returns whether a language can be highlighted.
    static boolean has(String language) {
        return language.matches("[a-z]+") && Highlighter.class.getClassLoader().getResource(path(language)) != null;
    }

    static String language(String language) throws IOException {
        return resource("languages/" + language + ".min.js");
    }

    private static String path(String language) {
        return FOLDER + version() + "/languages/" + language + ".min.js";
    }

    private static String resource(String name) throws IOException {
        return read(FOLDER + version() + "/" + name);
    }

    private static String version() {
        try {
            Properties properties = new Properties();
            properties.load(new StringReader(read(PROPERTIES)));
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new SiteException(PROPERTIES + ": " + e.getMessage());
        }
    }

    private static String read(String path) throws IOException {
        try (InputStream in = Highlighter.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) throw new SiteException("the WebJar of highlight.js lacks " + path);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
