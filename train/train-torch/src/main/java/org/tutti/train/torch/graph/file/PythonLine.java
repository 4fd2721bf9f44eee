package org.tutti.train.torch.graph.file;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The line of Python that contains a call.
final class PythonLine {
    private static final Pattern FRAME = Pattern.compile("\\s*File \"([^\"]*)\", line (\\d{1,9})(?:, in .*)?");
    private static final Pattern TORCH = Pattern.compile("(?:^|[/\\\\])torch[/\\\\]");

    /// The maximum length of the part at the end of a trace that is searched, in characters.
    private static final int SEARCHED = 1 << 14;

    private PythonLine() {}

    /// Returns the line of the innermost frame outside of PyTorch, such as `modeling_bert.py:412,
    /// self.dense(x)`. If all frames are inside, returns the line of the innermost frame. Empty if the trace
    /// has no frame.
    static String of(String stackTrace) {
        String inside = "", outside = "";
        String[] lines = stackTrace
                .substring(Math.max(0, stackTrace.length() - SEARCHED))
                .split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            Matcher frame = FRAME.matcher(lines[i]);
            if (!frame.matches()) continue;
            String path = frame.group(1);
            String code = i + 1 < lines.length && !FRAME.matcher(lines[i + 1]).matches() ? lines[i + 1].strip() : "";
            String file = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
            String line = GraphJson.shown(file + ":" + frame.group(2) + (code.isEmpty() ? "" : ", " + code));
            inside = line;
            if (!TORCH.matcher(path).find()) outside = line;
        }
        return outside.isEmpty() ? inside : outside;
    }
}
