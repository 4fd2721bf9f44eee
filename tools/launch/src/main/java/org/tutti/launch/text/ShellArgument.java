package org.tutti.launch.text;

/// Text as an argument in a command line that a user can copy into a POSIX shell.
public final class ShellArgument {
    private static final String PLAIN = "-+=./:,@%_";

    private ShellArgument() {}

    /// Returns the text, in quotes if it needs quotes.
    public static String quoted(String text) {
        boolean plain = !text.isEmpty();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            plain &= Character.isLetterOrDigit(c) && c < 128 || PLAIN.indexOf(c) >= 0;
        }
        return plain ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
