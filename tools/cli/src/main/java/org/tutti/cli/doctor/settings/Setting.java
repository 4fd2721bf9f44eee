package org.tutti.cli.doctor.settings;

/// A setting of the user.
///
/// @param name the name in the table
/// @param shown as written by the user
/// @param origin the source: `environment`, a file, `command line`
public record Setting(Owner owner, String name, String shown, String value, String origin) {
    static final String ENVIRONMENT = "environment", COMMAND_LINE = "command line";

    /// Returns the setting with the value, as written by the user.
    public String words() {
        if (!shown.startsWith("-")) return shown + "=" + value;
        return value.isEmpty() ? shown : shown + " " + value;
    }
}
