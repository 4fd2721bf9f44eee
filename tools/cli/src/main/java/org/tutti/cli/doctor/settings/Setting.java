package org.tutti.cli.doctor.settings;

/// A setting that somebody has made.
///
/// @param name as the table calls it
/// @param shown as it was written
/// @param origin where: `environment`, a file, `command line`
public record Setting(Owner owner, String name, String shown, String value, String origin) {
    static final String ENVIRONMENT = "environment", COMMAND_LINE = "command line";

    /// With its value, as it was written.
    public String words() {
        if (!shown.startsWith("-")) return shown + "=" + value;
        return value.isEmpty() ? shown : shown + " " + value;
    }
}
