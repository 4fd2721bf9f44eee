package org.tutti.serve.json;

/// A body does not match the type; the text states the place and the problem.
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JsonException(String text) {
        super(text);
    }
}
