package org.tutti.e2e.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.e2e.job.Checkout;
import org.tutti.e2e.job.Child;
import org.tutti.e2e.job.Command;
import org.tutti.e2e.job.HangLimit;
import org.tutti.e2e.job.JobTest;
import org.tutti.e2e.job.Processes;

/// The web page of a service, in a headless browser, controlled through the DevTools socket. Runs only if
/// Chromium is installed, which is not the case on the build machine.
@Tag("full")
class ServicePageTest extends JobTest {
    private static final String PROGRAM = """
            import org.tutti.futures.*;
            import org.tutti.serve.*;
            static int sleep(int ticks) throws Exception {
                for (int i = 0; i < ticks; i++) {
                    JobOutput.println("tick " + i + " <b>bold</b>");
                    JobOutput.reportProgress(i, ticks);
                    Thread.sleep(100);
                }
                return ticks;
            }
            void main() throws Exception {
                RankPool.run(pool -> {
                    Service.of(pool).addFunction("sleep", n -> sleep(n), Integer.class, Integer.class).serve();
                });
            }
            """;

    private final Map<Integer, CompletableFuture<String>> pending = new ConcurrentHashMap<>();
    private int number;

    private static Path chromium() {
        for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
            Path found = Path.of(directory, "chromium");
            if (Files.isExecutable(found)) return found;
        }
        Assumptions.abort("chromium is not on the path");
        throw new AssertionError();
    }

    private static Child serve(Path where, int port) {
        return Command.tutti(
                        "serve",
                        "-n",
                        "2",
                        "--jvm",
                        Command.RANKS_FLAG,
                        "--port",
                        String.valueOf(port),
                        "--state",
                        where.resolve("state").toString(),
                        "--allow-run-as-root",
                        where.resolve("App.java").toString())
                .start();
    }

    /// Assembles the browser's answers from message fragments.
    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                Matcher id = Pattern.compile("^\\{\"id\":(\\d+)").matcher(text);
                if (id.find()) pending.remove(Integer.valueOf(id.group(1))).complete(text.toString());
                text.setLength(0);
            }
            socket.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    private String send(WebSocket browser, String method, String parameters) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        pending.put(++number, answer);
        browser.sendText("{\"id\":" + number + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}", true)
                .join();
        return answer.get(100, TimeUnit.SECONDS);
    }

    private String eval(WebSocket browser, String script) throws Exception {
        String quoted = script.replace("\\", "\\\\").replace("\"", "\\\"");
        return send(browser, "Runtime.evaluate", "{\"returnByValue\":true,\"expression\":\"" + quoted + "\"}");
    }

    private void await(WebSocket browser, String script, String expected) throws Exception {
        HangLimit limit = new HangLimit(60);
        String found = "";
        while (!found.contains(expected) && !limit.isOver()) {
            found = eval(browser, script);
            Thread.sleep(50);
        }
        assertThat(found).as(script).contains(expected);
    }

    private static String text(String id) {
        return "document.getElementById('" + id + "').textContent";
    }

    private void click(WebSocket browser, String selector) throws Exception {
        eval(browser, "document.querySelector('" + selector + "').click()");
    }

    @Test
    void pageControlsJobsAcrossRestart() throws Exception {
        Path chromium = chromium(), where = Checkout.scratch("page"), profile = where.resolve("profile");
        Files.writeString(where.resolve("App.java"), PROGRAM);
        Child service = serve(where, 0);
        service.awaitErr("the page is");
        URI address =
                URI.create(Files.readString(where.resolve("state/address")).strip());
        String token = Files.readString(where.resolve("state/run-token")).strip();
        Process process = new ProcessBuilder(
                        chromium.toString(),
                        "--headless",
                        "--no-sandbox", // for builds that run as root
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(where.resolve("chromium.log").toFile())
                .start();
        HttpClient client = HttpClient.newHttpClient();
        try {
            WebSocket browser = connect(client, profile);
            send(browser, "Page.navigate", "{\"url\":\"" + address + "/#" + token + "\"}");
            await(browser, "document.getElementById('main').hidden", "false");
            assertThat(eval(browser, "location.href")).contains(address + "/\"").doesNotContain(token);
            eval(browser, "document.getElementById('argument').value = '600'");
            click(browser, "#submit");
            await(browser, text("output"), "tick 3 <b>bold</b>");
            assertThat(eval(browser, "document.querySelectorAll('#output b').length"))
                    .contains("\"value\":0");
            await(browser, "document.querySelector('tr.chosen progress')?.value > 3", "true");

            Processes.signal("KILL", service.pid());
            service.awaitCode();
            await(browser, text("note"), "does not answer");
            service = serve(where, address.getPort());
            await(browser, text("result"), "lost");
            await(browser, text("note"), "\"value\":\"\"");

            click(browser, "#submit");
            await(browser, text("result"), "\"value\":\"\"");
            await(browser, text("output"), "tick 3 ");
            await(browser, "document.querySelector('tr.chosen button') !== null", "true");
            click(browser, "tr.chosen button");
            await(browser, text("result"), "cancelled");
            String inline = "(() => { const s = document.createElement('script'); s.textContent = 'window.bad = 1';"
                    + " document.head.append(s); return window.bad === undefined; })()";
            assertThat(eval(browser, inline)).contains("true");
        } finally {
            client.shutdownNow(); // close would wait for the socket
            process.destroy();
            process.waitFor();
        }
        Processes.signal("TERM", service.pid());
        service.await();
    }

    private WebSocket connect(HttpClient client, Path profile) throws Exception {
        Path file = profile.resolve("DevToolsActivePort");
        HangLimit limit = new HangLimit(60);
        while (!limit.isOver() && lines(file).size() < 2) Thread.sleep(50);
        URI list = URI.create("http://127.0.0.1:" + lines(file).getFirst() + "/json");
        HttpRequest request = HttpRequest.newBuilder(list).build();
        String pages =
                client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        Matcher page = Pattern.compile("ws://[^\"]*/page/[^\"]*").matcher(pages);
        assertThat(page.find()).as(pages).isTrue();
        return client.newWebSocketBuilder()
                .buildAsync(URI.create(page.group()), new Answers())
                .get();
    }

    private static List<String> lines(Path file) throws IOException {
        if (!Files.exists(file)) return List.of();
        try (Stream<String> lines = Files.lines(file)) {
            return lines.toList();
        }
    }
}
