package org.tutti.serve;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// The answer of a server, read from a socket: tests send requests that no client library would send.
record HttpAnswer(int status, Map<String, String> headers, byte[] body) {
    static HttpAnswer read(InputStream in) throws IOException {
        HttpAnswer head = head(in);
        String length = head.headers.get("content-length");
        byte[] body;
        if (length != null) body = in.readNBytes(Integer.parseInt(length));
        else if (head.headers.containsKey("transfer-encoding")) body = chunks(in);
        else body = new byte[0];
        return new HttpAnswer(head.status, head.headers, body);
    }

    static HttpAnswer head(InputStream in) throws IOException {
        String first = line(in);
        Map<String, String> headers = new HashMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new HttpAnswer(Integer.parseInt(first.split(" ")[1]), headers, new byte[0]);
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] chunk = chunk(in); chunk.length > 0; chunk = chunk(in)) all.writeBytes(chunk);
        return all.toByteArray();
    }

    /// Returns the next chunk of a chunked body; empty at the end.
    static byte[] chunk(InputStream in) throws IOException {
        byte[] chunk = in.readNBytes(Integer.parseInt(line(in), 16));
        line(in);
        return chunk;
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) throw new EOFException("the connection has ended after: " + line.toString(ISO_8859_1));
            if (b != '\r') line.write(b);
        }
        return line.toString(ISO_8859_1);
    }

    String text() {
        return new String(body, UTF_8);
    }
}
