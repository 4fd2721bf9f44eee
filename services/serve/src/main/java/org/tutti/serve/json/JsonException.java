package org.tutti.serve.json;

/// Thrown if a body does not match the type. The message states the place and the problem.
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JsonException(String text) {
        super(text);
    }
}
