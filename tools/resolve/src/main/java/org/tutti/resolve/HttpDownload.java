package org.tutti.resolve;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Authenticator;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;
import org.eclipse.aether.RepositorySystemSession;
import org.eclipse.aether.repository.AuthenticationContext;
import org.eclipse.aether.repository.RemoteRepository;
import org.jspecify.annotations.Nullable;

/// Downloads one file of a repository and continues a partial file. The resolver's transport is not used: it
/// writes to a temporary file with a random name, so the data of an interrupted download would be lost.
final class HttpDownload {
    private static final int CONNECT_MILLIS = 20_000, READ_MILLIS = 60_000, BUFFER_BYTES = 1 << 16;
    private static final int RANGE_NOT_SATISFIABLE = 416;

    /// The JDK property that lists the authentication schemes that are disabled for HTTPS connections through a
    /// proxy. By default, the JDK sends the password of a proxy only for connections without encryption.
    private static final String PROXY_PASSWORDS = "jdk.http.auth.tunneling.disabledSchemes";

    private final RepositorySystemSession session;
    private final RemoteRepository repository;

    HttpDownload(RepositorySystemSession session, RemoteRepository repository) {
        this.session = session;
        this.repository = repository;
    }

    /// @param location relative to the URL of the repository
    /// @throws NoSuchFileException if the repository does not contain the file
    /// @throws java.io.FileNotFoundException the same for a repository in a directory
    void get(URI location, Path file, LongConsumer received) throws IOException {
        String base = repository.getUrl();
        URI uri = URI.create(base.endsWith("/") ? base : base + "/").resolve(location);
        long present = Files.exists(file) ? Files.size(file) : 0;
        URLConnection connection = open(uri);
        if (present > 0) connection.setRequestProperty("Range", "bytes=" + present + "-");
        boolean continues = false;
        if (connection instanceof HttpURLConnection http) {
            int code = http.getResponseCode();
            if (code == HttpURLConnection.HTTP_NOT_FOUND) throw new NoSuchFileException(uri.toString());
            continues = code == HttpURLConnection.HTTP_PARTIAL;
            if (code == RANGE_NOT_SATISFIABLE && present > 0) {
                // the partial file is at least as long as the file of the repository; it is emptied and not
                // deleted, because the caller may hold a lock on it
                Files.newOutputStream(file, StandardOpenOption.TRUNCATE_EXISTING)
                        .close();
                get(location, file, received);
                return;
            }
            if (code != HttpURLConnection.HTTP_OK && !continues) {
                throw new IOException(uri + ": HTTP status " + code + " " + http.getResponseMessage());
            }
        }
        try (InputStream in = connection.getInputStream();
                OutputStream out = Files.newOutputStream(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        continues ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING)) {
            copy(in, out, continues ? present : 0, received);
        }
    }

    private static void copy(InputStream in, OutputStream out, long from, LongConsumer received) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long size = from;
        for (int n; (n = in.read(buffer)) >= 0; ) {
            out.write(buffer, 0, n);
            received.accept(size += n);
        }
    }

    private URLConnection open(URI uri) throws IOException {
        org.eclipse.aether.repository.Proxy proxy = repository.getProxy();
        URLConnection connection;
        if (proxy == null) {
            connection = uri.toURL().openConnection();
        } else {
            if (System.getProperty(PROXY_PASSWORDS) == null) System.setProperty(PROXY_PASSWORDS, "");
            connection = uri.toURL()
                    .openConnection(
                            new Proxy(Proxy.Type.HTTP, new InetSocketAddress(proxy.getHost(), proxy.getPort())));
        }
        connection.setConnectTimeout(CONNECT_MILLIS);
        connection.setReadTimeout(READ_MILLIS);
        if (connection instanceof HttpURLConnection http) http.setAuthenticator(new Passwords());
        return connection;
    }

    /// The passwords of the settings.
    private final class Passwords extends Authenticator {
        @Override
        protected @Nullable PasswordAuthentication getPasswordAuthentication() {
            AuthenticationContext context = getRequestorType() == RequestorType.PROXY
                    ? AuthenticationContext.forProxy(session, repository)
                    : AuthenticationContext.forRepository(session, repository);
            if (context == null) return null;
            try {
                String user = context.get(AuthenticationContext.USERNAME);
                String password = context.get(AuthenticationContext.PASSWORD);
                return user == null || password == null
                        ? null
                        : new PasswordAuthentication(user, password.toCharArray());
            } finally {
                AuthenticationContext.close(context);
            }
        }
    }
}
