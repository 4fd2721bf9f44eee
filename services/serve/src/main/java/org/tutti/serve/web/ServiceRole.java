package org.tutti.serve.web;

/// The permission of a token; each role includes the previous ones.
enum ServiceRole {
    /// Requires no token.
    OPEN,
    READ,
    RUN
}
