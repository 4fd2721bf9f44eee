package org.tutti.serve.json;

/// A body that is not what its type asks for; the text says where and what.
public final class JsonException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public JsonException(String text) {
        super(text);
    }
}
