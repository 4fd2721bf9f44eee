package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.launch.UsageException;
import org.tutti.launch.program.ClassPath;
import org.tutti.launch.program.ProgramSpec;

/// Detects programs of package `mpi`, in source or class files, that are run without the matching `--with`.
/// Every rank of such a program would fail with `NoClassDefFoundError` or `NoSuchMethodError`.
final class LegacyApiCheck {
    /// An import of package `mpi` itself: `mpi.mine.MyComm` is in a package of the program.
    private static final Pattern PACKAGE_MPI = Pattern.compile("(?m)^\\s*import\\s+(static\\s+)?mpi\\.(\\*|[A-Z])");

    /// A method that only one of the two APIs has. A class of the program may have a method of the same name.
    private static final Pattern OF_OPENMPI = Pattern.compile("\\.getRank\\s*\\("),
            OF_MPJ = Pattern.compile("\\.Rank\\s*\\(");

    /// A variable of a communicator type.
    private static final Pattern COMMUNICATOR =
            Pattern.compile("\\b(?:Comm|Intracomm|Intercomm|Cart[Cc]omm|Graph[Cc]omm)\\s+(?<declared>\\w+)"
                    + "|\\b(?<assigned>\\w+)\\s*=\\s*MPI\\s*\\.\\s*COMM_(?:WORLD|SELF)\\b");
    private static final Pattern RANK_OF = Pattern.compile("\\b(\\w+)\\s*\\.\\s*(?:getRank|Rank)\\s*\\(");

    private static final String OPENMPI = "Open MPI's Java bindings", MPJ = "MPJ Express";

    /// Names that exist in the two APIs, or that do not follow the naming rule of [#of].
    private static final Set<String> OF_BOTH =
            Set.of("Init", "Finalize", "clone", "free", "group", "queryThread", "initThread", "isMainThread", "isNull");

    private static final String EITHER =
            "--with openmpi-java for a program of " + OPENMPI + ", --with mpj for one of " + MPJ;

    /// The classes of package `mpi` of either API. Other classes in this package and in the subpackages belong
    /// to the program.
    private static final Set<String> API_CLASSES = Stream.of(
                    "MPI Comm Intracomm Intercomm CartComm Cartcomm GraphComm Graphcomm Request Prequest Status Datatype",
                    "Op UserFunction User_function Group Errhandler MPIException File FileView Info Win Message Struct",
                    "Count Version CartParms GraphParms ShiftParms DistGraphNeighbors Freeable Int2 ShortInt LongInt",
                    "FloatInt DoubleInt FloatComplex DoubleComplex")
            .flatMap(line -> Stream.of(line.split(" ")))
            .map("mpi/"::concat)
            .collect(Collectors.toUnmodifiableSet());

    /// The maximum number of classes of a program that are checked, starting with the main class.
    private static final int MOST_CLASSES = 100;

    private static final String ENTRY = "mpi/MPI.class";

    private LegacyApiCheck() {}

    /// Checks a source file.
    ///
    /// @param isGiven the adapter of `--with`
    /// @return a note if the file may be written for the other API; null otherwise
    /// @throws UsageException if the file is certainly written for a different API
    static @Nullable String checkSource(String program, String source, @Nullable Adapter isGiven) {
        if (!PACKAGE_MPI.matcher(source).find()) return null;
        boolean openMpi = OF_OPENMPI.matcher(source).find();
        boolean mpj = OF_MPJ.matcher(source).find();
        Adapter needed = openMpi == mpj ? null : openMpi ? Adapter.OPENMPI_JAVA : Adapter.MPJ;
        if (isGiven == null) {
            throw new UsageException(program + " imports mpi, which is not on its class path; add " + cure(needed));
        }
        if (needed == null || needed == isGiven) return null;
        String wrong = program + " calls " + (openMpi ? "getRank()" : "Rank()") + other(needed, isGiven);
        if (isOfCommunicator(source)) throw new UsageException(wrong);
        return wrong + " if it is called on a communicator";
    }

    /// Whether the source calls `getRank` or `Rank` on a communicator, and not only on objects of the program's
    /// classes.
    private static boolean isOfCommunicator(String source) {
        Set<String> communicators = new HashSet<>(Set.of("COMM_WORLD", "COMM_SELF"));
        COMMUNICATOR.matcher(source).results().forEach(found -> {
            String declared = found.group("declared");
            communicators.add(declared == null ? found.group("assigned") : declared);
        });
        return RANK_OF.matcher(source).results().anyMatch(call -> communicators.contains(call.group(1)));
    }

    private static String other(Adapter needed, Adapter isGiven) {
        return ", which is part of " + (needed == Adapter.MPJ ? MPJ : OPENMPI) + "; give --with " + needed.option
                + " instead of --with " + isGiven.option;
    }

    private static String cure(@Nullable Adapter needed) {
        return needed == null ? EITHER : "--with " + needed.option;
    }

    /// Checks a jar or a main class.
    ///
    /// @param classPath the value of `-cp`; null for none
    /// @param isGiven the adapter of `--with`
    /// @return a note if only a class that may never be loaded needs an adapter; null otherwise
    /// @throws UsageException if the main class needs an adapter
    static @Nullable String checkClasses(String program, @Nullable String classPath, @Nullable Adapter isGiven) {
        if (!new ProgramSpec(1, program, List.of(), null, List.of()).isJava()) return null;
        boolean isJar = program.endsWith(".jar");
        String path = isJar ? ClassPath.ofJar(program, classPath) : classPath == null ? "." : classPath;
        String main = isJar ? mainClass(program) : program;
        if (main == null) return null;
        try (URLClassLoader loader = new URLClassLoader(ClassPath.urls(path), null)) {
            return check(program, main.replace('.', '/'), loader, isGiven);
        } catch (IOException e) {
            return null; // reported when the file is loaded
        }
    }

    private static @Nullable String mainClass(String jar) {
        if (!Files.isRegularFile(Path.of(jar))) return null;
        try (JarFile file = new JarFile(jar)) {
            Manifest manifest = file.getManifest();
            String main = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            return main == null ? null : main.strip();
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable String check(String program, String main, ClassLoader loader, @Nullable Adapter isGiven)
            throws IOException {
        URL there = loader.getResource(ENTRY);
        ClassReferences entry = there == null ? null : references(loader, "mpi/MPI");
        boolean isOriginal = entry != null && isOriginal(entry);
        if (isGiven == null && entry != null && !isOriginal) return null; // an adapter, or a class of the program
        Queue<String> next = new ArrayDeque<>(List.of(main));
        Set<String> seen = new HashSet<>(next);
        while (!next.isEmpty()) {
            String name = next.remove();
            ClassReferences found = references(loader, name);
            if (found == null) continue;
            String use = use(found);
            if (use != null) {
                String problem = problem(name.equals(main) ? program : name.replace('/', '.'), use, there, isGiven);
                if (problem == null) return null;
                if (name.equals(main)) throw new UsageException(problem);
                return problem;
            }
            for (String c : found.classes()) {
                if (seen.size() < MOST_CLASSES && !c.startsWith("java/") && seen.add(c)) next.add(c);
            }
        }
        if (entry == null || !isOriginal || isGiven != null) return null;
        // even without a reference in the checked classes, a program may load, by name, classes that use
        // package `mpi`
        return there + " is on the class path of " + program
                + " and does not know Tutti's ranks; if the program uses it,"
                + " add " + cure(entry.texts().contains("newByteBuffer") ? Adapter.OPENMPI_JAVA : Adapter.MPJ)
                + ", whose classes precede it on the class path";
    }

    private static @Nullable ClassReferences references(ClassLoader loader, String name) throws IOException {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            return in == null ? null : ClassReferences.read(in);
        }
    }

    /// Whether the class is the original `mpi.MPI` of Open MPI or MPJ Express, not Tutti's.
    private static boolean isOriginal(ClassReferences entry) {
        return entry.texts().contains("COMM_WORLD")
                && entry.texts().contains("Lmpi/Intracomm;")
                && entry.classes().stream().noneMatch(c -> c.startsWith("org/tutti/"));
    }

    /// Returns the member of package `mpi` that identifies the API most reliably, or null.
    private static @Nullable String use(ClassReferences found) {
        String best = null;
        for (String member : found.members()) {
            boolean isOfApi = member.startsWith("mpi/") && API_CLASSES.contains(owner(member));
            if (isOfApi && (best == null || of(best) == null)) best = member;
        }
        return best;
    }

    private static String owner(String member) {
        return member.substring(0, member.lastIndexOf('.'));
    }

    /// Returns the API that contains the member, Open MPI's or MPJ Express's; null if this is uncertain. In MPJ
    /// Express, the methods of communicators and requests have capitalized names.
    private static @Nullable Adapter of(String member) {
        String owner = owner(member);
        String name = member.substring(member.lastIndexOf('.') + 1);
        boolean isConclusive = owner.equals("mpi/MPI") || owner.endsWith("omm") || owner.endsWith("Request");
        if (!isConclusive || OF_BOTH.contains(name) || name.equals(name.toUpperCase(Locale.ROOT))) return null;
        if (name.equals("InitThread")) return Adapter.OPENMPI_JAVA;
        if (!Character.isLetter(name.charAt(0))) return null; // a constructor
        return Character.isUpperCase(name.charAt(0)) ? Adapter.MPJ : Adapter.OPENMPI_JAVA;
    }

    private static @Nullable String problem(
            String subject, String use, @Nullable URL there, @Nullable Adapter isGiven) {
        Adapter needed = of(use);
        String member = use.replace('/', '.');
        if (isGiven != null) {
            if (needed == null || needed == isGiven) return null;
            return subject + " uses " + member + other(needed, isGiven);
        }
        if (there == null) return subject + " uses " + member + ", which is not on its class path; add " + cure(needed);
        return subject + " uses " + member + " of " + there + ", which does not know Tutti's ranks; add " + cure(needed)
                + ", whose classes precede it on the class path";
    }
}
