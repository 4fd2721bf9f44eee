package org.tutti.site;

/// A document cannot become part of the site, with the reason.
final class SiteException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SiteException(String message) {
        super(message);
    }
}
