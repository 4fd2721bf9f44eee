package org.tutti.launch.text;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// Writes JSON (RFC 8259) sequentially. The caller writes the name of a member before the value. Commas are
/// written automatically.
public final class Json implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int DEEPEST = 8;
    private static final int THOUSAND = 1000;

    private final OutputStream out;
    private final int indented;
    private final boolean[] isFirst = new boolean[DEEPEST];
    private int depth;
    private boolean afterName;

    /// Writes no white space except the line breaks of [#line].
    public Json(OutputStream out) {
        this(out, 0);
    }

    /// @param indented the depth of nested brackets down to which each element is on a separate line; 0 for
    ///     none. If the depth is positive, the text also ends with a line break, and contains spaces after
    ///     colons and commas
    public Json(OutputStream out, int indented) {
        this.indented = indented;
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
        isFirst[0] = true;
    }

    private void comma() throws IOException {
        if (!afterName) {
            if (!isFirst[depth]) out.write(',');
            if (depth > 0 && depth <= indented) indent(depth);
            else if (indented > 0 && !isFirst[depth]) out.write(' ');
        }
        isFirst[depth] = false;
        afterName = false;
    }

    private void indent(int levels) throws IOException {
        out.write('\n');
        for (int i = 0; i < levels; i++) ascii("  ");
    }

    private void ascii(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    public Json open(char bracket) throws IOException {
        comma();
        out.write(bracket);
        isFirst[++depth] = true;
        return this;
    }

    public Json close(char bracket) throws IOException {
        if (depth-- <= indented) indent(depth);
        out.write(bracket);
        return this;
    }

    /// Begins a new line before an element.
    public Json line() throws IOException {
        comma();
        afterName = true; // the comma was written for the next element
        out.write('\n');
        return this;
    }

    public Json name(String name) throws IOException {
        comma();
        string(name);
        out.write(':');
        if (indented > 0) out.write(' ');
        afterName = true;
        return this;
    }

    public Json value(String text) throws IOException {
        comma();
        string(text);
        return this;
    }

    public Json value(long number) throws IOException {
        comma();
        ascii(Long.toString(number));
        return this;
    }

    /// Writes a number; null for infinities and NaN, which JSON does not support.
    public Json value(Number number) throws IOException {
        comma();
        ascii(Double.isFinite(number.doubleValue()) ? number.toString() : "null");
        return this;
    }

    /// Writes nanoseconds as microseconds, exactly.
    public Json micros(long nanos) throws IOException {
        comma();
        long whole = nanos / THOUSAND, rest = Math.abs(nanos % THOUSAND);
        String sign = nanos < 0 && whole == 0 ? "-" : "";
        ascii(sign + whole + "." + (char) ('0' + rest / 100) + (char) ('0' + rest / 10 % 10)
                + (char) ('0' + rest % 10));
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
        if (indented > 0) out.write('\n');
        out.close();
    }
}
