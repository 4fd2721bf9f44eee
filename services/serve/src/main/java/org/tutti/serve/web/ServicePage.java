package org.tutti.serve.web;

import java.io.IOException;
import java.io.InputStream;

/// The web page: one document, one script and one style sheet, from this module.
final class ServicePage {
    private static final int OK = 200;

    private final byte[] html = resource("page.html");
    private final byte[] script = resource("page.js");
    private final byte[] style = resource("page.css");

    ServicePage() throws IOException {}

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = ServicePage.class.getResourceAsStream(name)) {
            if (in == null) throw new IOException("the page's " + name + " is missing from the module");
            return in.readAllBytes();
        }
    }

    void html(ServiceRequest request) throws IOException {
        request.allow();
        request.send(OK, "text/html; charset=utf-8", html);
    }

    void script(ServiceRequest request) throws IOException {
        request.allow();
        request.send(OK, "text/javascript; charset=utf-8", script);
    }

    void style(ServiceRequest request) throws IOException {
        request.allow();
        request.send(OK, "text/css; charset=utf-8", style);
    }
}
