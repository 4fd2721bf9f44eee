package org.tutti.cli;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import org.jspecify.annotations.Nullable;

/// Detects arguments, and a working directory, in which Java has lost characters, because the locale does not
/// support them. `./tutti` selects a suitable locale; this check is for launchers that were started without the
/// script.
final class LocaleCheck {
    private static final char LOST = '\uFFFD';
    private static final int LAST_ASCII = 127;

    private LocaleCheck() {}

    /// Returns the problem in one sentence, or null.
    static @Nullable String problem(String[] words) {
        return problem(words, System.getProperty("user.dir", ""), System.getProperty("sun.jnu.encoding", "UTF-8"));
    }

    /// @param encoding of arguments and file names
    static @Nullable String problem(String[] words, String directory, String encoding) {
        if (encoding.equals("UTF-8")) return null;
        for (String word : words) if (isLost(word, encoding)) return text("the argument " + word, encoding);
        return isLost(directory, encoding) ? text("the directory " + directory, encoding) : null;
    }

    private static String text(String what, String encoding) {
        return what + " has characters that the locale does not have (" + encoding
                + "); start with LC_ALL=C.UTF-8, as ./tutti does";
    }

    private static boolean isLost(String text, String encoding) {
        if (text.chars().allMatch(c -> c <= LAST_ASCII)) return false;
        if (text.indexOf(LOST) >= 0) return true;
        try {
            return !Charset.forName(encoding).newEncoder().canEncode(text);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException | UnsupportedOperationException e) {
            return false; // no charset with an encoder has this name, so the characters cannot be checked
        }
    }
}
