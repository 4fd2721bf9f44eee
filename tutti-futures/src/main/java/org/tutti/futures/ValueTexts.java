package org.tutti.futures;

/// What the codec says of a value that does not travel, without the words on the message that the user
/// did not send.
final class ValueTexts {
    private ValueTexts() {}

    static String path(String text) {
        String plain = text;
        int call = plain.indexOf(": ");
        if (call >= 0 && plain.substring(0, call).endsWith("Object")) plain = plain.substring(call + 2);
        int who = plain.lastIndexOf(" (rank ");
        return who > 0 && plain.endsWith(")") ? plain.substring(0, who) : plain;
    }
}
