package org.tutti.serve.web;

/// What a token allows, each more than the one before.
enum ServiceRole {
    /// Needs no token.
    OPEN,
    READ,
    RUN
}
