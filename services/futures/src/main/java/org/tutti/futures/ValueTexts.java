package org.tutti.futures;

/// Rewrites the codec's error texts about values that cannot be sent, without the details of the internal
/// message.
final class ValueTexts {
    private ValueTexts() {}

    /// Rewrites the text about a message to a worker: which part of the task it concerns.
    static String sent(String text) {
        return path(text)
                .replaceFirst("^Object\\[1]\\[[01]]\\[3]\\[\\d+]", "captured value")
                .replaceFirst("^Object\\[2]\\[\\d+]", "argument");
    }

    /// Rewrites the text about an answer.
    static String result(String text) {
        return path(text).replaceFirst("^Object\\[1]\\[\\d+](: )?", "");
    }

    static String path(String text) {
        String plain = text;
        int call = plain.indexOf(": ");
        if (call >= 0 && plain.substring(0, call).endsWith("Object")) plain = plain.substring(call + 2);
        int rankAt = plain.lastIndexOf(" (rank ");
        return rankAt > 0 && plain.endsWith(")") ? plain.substring(0, rankAt) : plain;
    }
}
