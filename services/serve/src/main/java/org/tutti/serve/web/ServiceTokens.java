package org.tutti.serve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Checks tokens. The digest of a token is compared with the digests of all valid tokens, so that the duration
/// of a check reveals no information about the tokens.
final class ServiceTokens {
    private static final String SCHEME = "Bearer ";
    private static final long SECOND = 1_000_000_000;

    private record Known(byte[] digest, ServiceRole role) {}

    private final int mostFailures;
    private final List<Known> known = new ArrayList<>();
    private final AtomicLong failures = new AtomicLong();

    /// Guarded by `this`: the current second, and the number of wrong tokens in it.
    private long second = System.nanoTime();

    private int inSecond;

    /// @param mostFailures wrong tokens per second; above this number, status 429
    ServiceTokens(List<StateDirectory.Token> tokens, int mostFailures) {
        this.mostFailures = mostFailures;
        for (StateDirectory.Token token : tokens) known.add(new Known(digest(token.text()), token.role()));
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // each JDK has this algorithm
        }
    }

    /// @param header `Authorization`; null if absent
    /// @throws Problem if the token is wrong; 429 after an excess of wrong tokens
    ServiceRole role(@Nullable String header) {
        ServiceRole found = null;
        if (header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            byte[] given = digest(header.substring(SCHEME.length()).strip());
            for (Known each : known) if (MessageDigest.isEqual(given, each.digest)) found = each.role;
        }
        if (found != null) return found;
        failures.incrementAndGet();
        if (!mayFail()) {
            throw new Problem(Problem.TOO_MANY, "too many wrong tokens").header("Retry-After", "1");
        }
        String why = header == null ? "a token is needed: Authorization: Bearer TOKEN" : "the token is wrong";
        throw new Problem(Problem.UNAUTHORIZED, why).header("WWW-Authenticate", "Bearer");
    }

    private synchronized boolean mayFail() {
        long now = System.nanoTime();
        if (now - second >= SECOND) {
            second = now;
            inSecond = 0;
        }
        return ++inSecond <= mostFailures;
    }

    long failures() {
        return failures.get();
    }
}
