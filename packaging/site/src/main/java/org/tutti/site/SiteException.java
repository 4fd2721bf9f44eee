package org.tutti.site;

/// A document that cannot become part of the site, and why.
final class SiteException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SiteException(String message) {
        super(message);
    }
}
