package org.tutti.site;

/// Thrown if a document cannot become part of the site. The message has the reason.
final class SiteException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SiteException(String message) {
        super(message);
    }
}
