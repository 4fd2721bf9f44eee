package org.tutti.bench.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses JSON without storing it: RFC 8259.
final class JsonCheck {
    private static final Pattern STRING =
            Pattern.compile("\"([^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*\"");
    private static final Pattern WORD = Pattern.compile("true|false|null|-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

    private final String text;
    private int at;

    private JsonCheck(String text) {
        this.text = text;
    }

    /// Returns the end of the value, including the white space after it.
    static int end(String text) {
        JsonCheck check = new JsonCheck(text);
        check.value();
        check.space();
        return check.at;
    }

    private void value() {
        space();
        switch (text.charAt(at)) {
            case '{' -> list('}', true);
            case '[' -> list(']', false);
            case '"' -> match(STRING);
            default -> match(WORD);
        }
    }

    private void list(char end, boolean named) {
        at++;
        space();
        if (text.charAt(at) == end) {
            at++;
            return;
        }
        while (true) {
            space();
            if (named) {
                match(STRING);
                space();
                require(':');
            }
            value();
            space();
            if (text.charAt(at) == end) break;
            require(',');
        }
        at++;
    }

    private void require(char c) {
        if (text.charAt(at) != c) throw new AssertionError(c + " expected at " + at + " of " + text);
        at++;
    }

    private void match(Pattern pattern) {
        Matcher m = pattern.matcher(text).region(at, text.length());
        if (!m.lookingAt() || m.end() == at) throw new AssertionError("no value at " + at + " of " + text);
        at = m.end();
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    }
}
