package org.tutti.launch.program;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TaskEvent;
import com.sun.source.util.TaskListener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;

/// Compiles a source file, and the source files in the same tree that it uses, as `java File.java` does (JEP
/// 330, 458, 512). The result is the bytes of a jar. javac prints error messages directly.
final class SourceCompiler implements TaskListener {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");

    private static final Pattern MISSING = Pattern.compile("package (\\S+) does not exist");

    /// Matches a `//DEPS` with a space after the slashes, which jbang does not accept as a directive.
    private static final Pattern COMMENTED_DEPS =
            Pattern.compile("^//[ \\t]+DEPS(?=[ \\t]+[\\w.-]+:[\\w.-]+:)", Pattern.MULTILINE);

    /// Matches packages that a user's jar cannot add: `java.*`, and packages of Tutti.
    private static final Pattern OURS = Pattern.compile("(java|org\\.tutti)\\.");

    /// @param sources all compiled files
    /// @param searched the directories that were searched for sources
    record Result(String mainClass, byte[] jar, List<Path> sources, List<Path> searched) {}

    private final Path source;
    private final List<Path> sources = new ArrayList<>();
    private @Nullable String firstClass;

    private SourceCompiler(Path source) {
        this.source = source;
    }

    /// @param included source files to compile even if no class refers to the classes in the files
    static Result compile(Path source, List<Path> included, String userPath, List<String> moreOptions)
            throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> users = new ArrayList<>();
        // only the javac command expands the * of a class path
        if (!userPath.isEmpty()) ClassPath.entries(userPath).forEach(e -> users.add(e.getPath()));
        List<String> options = new ArrayList<>(List.of(
                "-proc:none",
                "-g",
                "-parameters",
                "-Xdiags:verbose",
                "-Xlint:-options",
                "-XDsuppressNotes", // for unchecked and deprecated code: this is not a build
                "-implicit:class",
                "-XDstringConcat=inline", // otherwise a rank's first + of strings loads about 20 classes of the JDK
                "-Xprefer:source",
                "-sourcepath",
                root(source).toString(),
                "-cp",
                Jars.ofRanks().around(users)));
        options.addAll(moreOptions);

        SourceCompiler self = new SourceCompiler(source);
        PrintWriter errors = new PrintWriter(System.err, true);
        ClassesInMemory classes;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            classes = new ClassesInMemory(files);
            List<Path> all = new ArrayList<>(List.of(source));
            all.addAll(included);
            JavacTask task = (JavacTask)
                    compiler.getTask(errors, classes, null, options, null, files.getJavaFileObjectsFromPaths(all));
            task.addTaskListener(self);
            if (!task.call()) {
                Set<String> missing = missingPackages(compiler, files, options, all);
                throw new UsageException(source.getFileName() + " does not compile; see above"
                        + remedy(missing, Files.readString(source)));
            }
        }
        String mainClass = self.firstClass;
        if (mainClass == null) throw new UsageException(source.getFileName() + " declares no class and no main method");
        checkMain(mainClass, classes, userPath);
        Path root = root(source);
        List<Path> searched = classes.packagesOfSources().stream()
                .map(name -> root.resolve(name.replace('.', '/')))
                .toList();
        return new Result(mainClass, classes.jar(), self.sources, searched);
    }

    /// Returns the packages that a compilation did not find. Compiles again to get the errors as diagnostics:
    /// the first compilation reports errors as text in the user's language.
    private static Set<String> missingPackages(
            JavaCompiler compiler, StandardJavaFileManager files, List<String> options, List<Path> sources)
            throws IOException {
        DiagnosticCollector<JavaFileObject> errors = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) compiler.getTask(
                Writer.nullWriter(), files, errors, options, null, files.getJavaFileObjectsFromPaths(sources));
        task.analyze();
        Set<String> missing = new TreeSet<>();
        for (Diagnostic<? extends JavaFileObject> error : errors.getDiagnostics()) {
            Matcher text = MISSING.matcher(String.valueOf(error.getMessage(Locale.ENGLISH)));
            if (text.matches() && !OURS.matcher(text.group(1)).lookingAt()) missing.add(text.group(1));
        }
        return missing;
    }

    private static String remedy(Set<String> missing, String text) {
        if (missing.isEmpty()) return "";
        String reason = "; package " + missing.iterator().next() + " is not on the class path: ";
        Matcher comment = COMMENTED_DEPS.matcher(text);
        if (comment.find()) return reason + "'" + comment.group() + "' is a comment; write //DEPS without a space";
        return reason + "add -cp JAR, or a line //DEPS group:name:version to the source file";
    }

    /// Returns the root directory of the packages, derived from a source file; the directory of the file if the
    /// path does not match the package.
    private static Path root(Path source) throws IOException {
        Path directory = source.resolveSibling("");
        Matcher declared = PACKAGE.matcher(Files.readString(source));
        if (!declared.find()) return directory;
        Path names = Path.of(declared.group(1).replace('.', '/'));
        if (!directory.endsWith(names)) return directory;
        Path root = directory;
        for (int i = 0; i < names.getNameCount(); i++) root = root.resolveSibling("");
        return root;
    }

    private static void checkMain(String mainClass, ClassesInMemory classes, String userPath) throws IOException {
        try (URLClassLoader libraries =
                new URLClassLoader(ClassPath.urls(userPath), SourceCompiler.class.getClassLoader())) {
            MainMethod.of(Class.forName(mainClass, false, classes.loader(libraries)));
        } catch (ClassNotFoundException | LinkageError e) {
            throw new UsageException("class " + mainClass + " cannot be loaded: " + e);
        }
    }

    /// Records the files that were read, and the first class of the requested file, which is the main class.
    @Override
    public void finished(TaskEvent event) {
        if (event.getKind() != TaskEvent.Kind.PARSE) return;
        Path file = Path.of(event.getSourceFile().toUri());
        sources.add(file);
        if (!file.equals(source)) return;
        CompilationUnitTree unit = event.getCompilationUnit();
        for (Tree declaration : unit.getTypeDecls()) {
            if (declaration instanceof ClassTree type) {
                String simple = type.getSimpleName().toString();
                firstClass = unit.getPackageName() == null ? simple : unit.getPackageName() + "." + simple;
                return;
            }
        }
    }
}
