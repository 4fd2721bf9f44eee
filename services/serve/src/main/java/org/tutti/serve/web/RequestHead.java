package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The request line and the headers of a request (RFC 9112). The parser is strict, and refuses a request that
/// two programs could interpret differently.
///
/// @param path the path as sent, without decoding
/// @param query the query as sent; null if the target has none
/// @param version 0 or 1, for HTTP/1.0 or HTTP/1.1
/// @param headers the values of each header; the key is the name in lower case
record RequestHead(String method, String path, @Nullable String query, int version, Map<String, List<String>> headers) {
    private static final int MOST_BYTES = 64 << 10, MOST_HEADERS = 100;
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern LINE = Pattern.compile("(" + TOKEN + ") ([!-~]+) HTTP/1\\.([01])");
    private static final Pattern NAME = Pattern.compile(TOKEN);
    private static final Pattern VALUE = Pattern.compile("[\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,18}");

    /// Represents a head that could not be parsed.
    static final RequestHead NONE = new RequestHead("GET", "/", null, 1, Map.of());

    /// Returns the value of a header, or null if it is absent.
    ///
    /// @throws Problem if it occurs twice
    @Nullable
    String only(String name) {
        List<String> all = headers.get(name.toLowerCase(Locale.ROOT));
        if (all == null) return null;
        if (all.size() > 1) throw new Problem(Problem.BAD_REQUEST, "the header " + name + " occurs twice");
        return all.getFirst();
    }

    /// Reads a head; null if the connection ends before the first byte.
    ///
    /// @throws Problem if it is malformed
    static @Nullable RequestHead read(InputStream in) throws IOException {
        Reader reader = new Reader(in);
        String first = reader.line();
        if (first != null && first.isEmpty()) first = reader.line(); // RFC 9112, 2.2: one empty line is ignored
        if (first == null) return null;
        Matcher line = LINE.matcher(first);
        if (!line.matches()) throw malformed("the request line is not METHOD TARGET HTTP/1.1");
        Map<String, List<String>> headers = new HashMap<>();
        int count = 0;
        for (String text = reader.line(); ; text = reader.line()) {
            if (text == null) throw new EOFException();
            if (text.isEmpty()) break;
            if (++count > MOST_HEADERS) throw tooLarge("the request has more than " + MOST_HEADERS + " headers");
            int colon = text.indexOf(':');
            if (colon < 0 || !NAME.matcher(text.substring(0, colon)).matches()) throw noHeader();
            String value = trimmed(text, colon + 1);
            if (!VALUE.matcher(value).matches()) throw noHeader();
            headers.computeIfAbsent(text.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(value);
        }
        String target = line.group(2);
        if (target.contains("://") && !target.startsWith("/")) {
            throw new Problem(Problem.FORBIDDEN, "the request is for a proxy").header("Connection", "close");
        }
        int question = target.indexOf('?');
        return new RequestHead(
                line.group(1),
                question < 0 ? target : target.substring(0, question),
                question < 0 ? null : target.substring(question + 1),
                Integer.parseInt(line.group(3)),
                headers);
    }

    /// Returns the rest of a line without leading and trailing white space. A regular expression would need
    /// quadratic time.
    private static String trimmed(String line, int from) {
        int start = from, end = line.length();
        while (start < end && isBlank(line.charAt(start))) start++;
        while (end > start && isBlank(line.charAt(end - 1))) end--;
        return line.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private static Problem noHeader() {
        return malformed("a header is not NAME: VALUE");
    }

    private static Problem malformed(String text) {
        return new Problem(Problem.BAD_REQUEST, text).header("Connection", "close");
    }

    private static Problem tooLarge(String text) {
        return new Problem(Problem.HEADERS_TOO_LARGE, text).header("Connection", "close");
    }

    /// Returns whether the body arrives in chunks.
    ///
    /// @throws Problem if the length is ambiguous
    boolean isChunked() {
        String encoding = only("Transfer-Encoding");
        if (encoding == null) return false;
        if (!encoding.equalsIgnoreCase("chunked") || version == 0 || headers.containsKey("content-length")) {
            throw malformed("the body has no valid length");
        }
        return true;
    }

    /// Returns the length of a body without chunks; 0 without a body.
    ///
    /// @throws Problem if the value is not a length
    long length() {
        String length = only("Content-Length");
        if (length == null) return 0;
        // a proxy might interpret +1 differently, and then disagree about the end of the request
        if (!LENGTH.matcher(length).matches()) throw malformed("the body has no valid length");
        return Long.parseLong(length);
    }

    boolean expectsContinue() {
        return version == 1 && "100-continue".equalsIgnoreCase(only("Expect"));
    }

    boolean keepsConnection() {
        List<String> values = headers.getOrDefault("connection", List.of());
        return version == 1
                && values.stream().noneMatch(v -> v.toLowerCase(Locale.ROOT).contains("close"));
    }

    /// Reads lines, with a limit on the sum of all lengths.
    private static final class Reader {
        private final InputStream in;
        private int left = MOST_BYTES;

        Reader(InputStream in) {
            this.in = in;
        }

        /// Returns a line without the line end; null at the end of the stream.
        @Nullable
        String line() throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int b = in.read(); b != '\r'; b = in.read()) {
                if (b < 0) {
                    if (line.size() == 0) return null;
                    throw new EOFException();
                }
                if (b == '\n') throw malformed("a line of the head ends without CR");
                if (--left < 0) throw tooLarge("the head is larger than " + MOST_BYTES + " bytes");
                line.write(b);
            }
            int end = in.read();
            if (end < 0) throw new EOFException();
            if (end != '\n') throw malformed("a line of the head has a CR inside");
            return line.toString(ISO_8859_1);
        }
    }
}
