package org.tutti.device.source;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A token of a source. The source is the concatenation of the texts of all tokens.
///
/// @param line the line of the first character, starting at 1
public record Token(Kind kind, String text, int line) {
    public enum Kind {
        SPACE,
        COMMENT,
        /// A preprocessor line, including continuation lines after `\`.
        DIRECTIVE,
        WORD,
        NUMBER,
        /// A string or character literal, with quotes.
        STRING,
        /// One character, or `::`.
        SIGN
    }

    /// The patterns of tokens. Groups have possessive quantifiers (`*+`), because with backtracking each
    /// repetition needs stack space.
    private static final Pattern PIECE = Pattern.compile("(?<SPACE>\\s+)"
            + "|(?<COMMENT>//[^\\n]*|/\\*(?s:.*?)\\*/)"
            + "|(?<DIRECTIVE>#(?:\\\\\\r?\\n|[^\\n])*+)"
            + "|(?<WORD>[A-Za-z_]\\w*)"
            + "|(?<NUMBER>\\.?\\d(?:[eEpP][+-]|[\\w.])*+)"
            + "|(?<STRING>\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+')"
            + "|(?<SIGN>::|[!%&()*+,\\-./:;<=>?\\[\\]^{|}~])");

    public boolean is(String other) {
        return text.equals(other);
    }

    /// Returns whether the token is significant for the compiler.
    public boolean counts() {
        return kind != Kind.SPACE && kind != Kind.COMMENT;
    }

    /// Splits a source into tokens.
    ///
    /// @throws SourceException on an invalid character, or an unterminated comment or string
    public static List<Token> of(String source) {
        List<Token> tokens = new ArrayList<>();
        Matcher pieces = PIECE.matcher(source);
        int at = 0, line = 1;
        while (at < source.length()) {
            if (!pieces.find(at) || pieces.start() != at) {
                throw new SourceException(line, "'" + source.charAt(at) + "' does not start a valid token");
            }
            String text = pieces.group();
            tokens.add(new Token(kind(pieces), text, line));
            for (int i = 0; i < text.length(); i++) if (text.charAt(i) == '\n') line++;
            at = pieces.end();
        }
        return tokens;
    }

    private static Kind kind(Matcher piece) {
        for (Kind kind : Kind.values()) if (piece.group(kind.name()) != null) return kind;
        throw new AssertionError(piece.group());
    }
}
