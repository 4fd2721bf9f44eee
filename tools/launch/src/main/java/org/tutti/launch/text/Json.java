package org.tutti.launch.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// Writes JSON (RFC 8259) from front to back. Values of an object follow their names; commas come by
/// themselves.
final class Json implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int DEEPEST = 8;
    private static final int THOUSAND = 1000;

    private final OutputStream out;
    private final boolean[] isFirst = new boolean[DEEPEST];
    private int depth;
    private boolean afterName;

    Json(OutputStream out) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        isFirst[0] = true;
    }

    private void comma() throws IOException {
        if (!afterName && !isFirst[depth]) out.write(',');
        isFirst[depth] = false;
        afterName = false;
    }

    Json open(char bracket) throws IOException {
        comma();
        out.write(bracket);
        isFirst[++depth] = true;
        return this;
    }

    Json close(char bracket) throws IOException {
        depth--;
        out.write(bracket);
        return this;
    }

    /// Only for the eye.
    Json line() throws IOException {
        comma();
        afterName = true; // the comma was for what follows
        out.write('\n');
        return this;
    }

    Json name(String name) throws IOException {
        comma();
        string(name);
        out.write(':');
        afterName = true;
        return this;
    }

    Json value(String text) throws IOException {
        comma();
        string(text);
        return this;
    }

    Json value(long number) throws IOException {
        comma();
        out.write(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    /// Nanoseconds as microseconds, exactly.
    Json micros(long nanos) throws IOException {
        comma();
        long whole = nanos / THOUSAND, rest = Math.abs(nanos % THOUSAND);
        String sign = nanos < 0 && whole == 0 ? "-" : "";
        String text = sign + whole + "." + (char) ('0' + rest / 100) + (char) ('0' + rest / 10 % 10)
                + (char) ('0' + rest % 10);
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        return this;
    }

    private void string(String text) throws IOException {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ' || Character.isSurrogate(c)) quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        out.write(quoted.append('"').toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
