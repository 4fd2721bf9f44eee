package org.tutti.e2e.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tutti.e2e.job.Checkout;

/// The rules of DESIGN.md, section 2, that the module system does not enforce: dependencies inside modules, and
/// platform access.
class ArchitectureTest {
    private static final String JOB = "org.tutti.job..", SPI = "org.tutti.spi..";
    private static final String API = "org.tutti.mpi";
    private static final String MPI = "org.tutti.mpi..", COLL = "org.tutti.coll..", SHM = "org.tutti.shm..";
    private static final String LIBMPI = "org.tutti.libmpi..", LAUNCH = "org.tutti.launch..", CLI = "org.tutti.cli..";
    private static final String DOCTOR = "org.tutti.cli.doctor..", COMMAND = "org.tutti.cli";
    private static final String INSPECT = "org.tutti.inspect..";
    private static final String DEVICE = "org.tutti.device..", FUTURES = "org.tutti.futures..";
    private static final String SERVE = "org.tutti.serve..";
    private static final String TRAIN_MODEL = "org.tutti.train.model";
    private static final String ALL = "org.tutti..",
            CONFORMANCE = "org.tutti.conformance..",
            LINUX = "org.tutti.os.linux..";

    /// The minimum number of modules with classes. Only a full build builds the modules on which tutti-e2e does
    /// not depend.
    private static final int FEWEST_MODULES = 23;

    private static final Pattern PROVIDES = Pattern.compile("provides ([\\w.]+)\\s");

    /// The classes of all modules that are built. [#everyModuleIsChecked] checks that no module is missing.
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPaths(modules());

    private static List<Path> modules() {
        return Checkout.modules().stream()
                .map(Checkout::classes)
                .filter(Files::isDirectory)
                .toList();
    }

    private static void onlyUses(String user, String... used) {
        String[] allowed = Stream.concat(Stream.of(user), Stream.of(used)).toArray(String[]::new);
        noClasses()
                .that(resideInAPackage(user))
                .should()
                .dependOnClassesThat(resideInAPackage(ALL).and(not(resideInAnyPackage(allowed))))
                .as(user + " uses only " + String.join(", ", used))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void everyModuleIsChecked() {
        assertThat(modules()).hasSizeGreaterThanOrEqualTo(FEWEST_MODULES);
        for (String name : List.of(
                JOB, SPI, MPI, COLL, SHM, LINUX, LIBMPI, LAUNCH, DOCTOR, DEVICE, FUTURES, SERVE, CLI, CONFORMANCE)) {
            assertThat(CLASSES.stream().filter(resideInAPackage(name))).as(name).isNotEmpty();
        }
    }

    @TestFactory
    Stream<DynamicTest> arrowsGoDown() {
        return Stream.of(
                DynamicTest.dynamicTest("the job uses no package", () -> onlyUses(JOB)),
                DynamicTest.dynamicTest("the SPI uses the job", () -> onlyUses(SPI, JOB)),
                DynamicTest.dynamicTest(
                        "the inspection tools use the SPI and the job", () -> onlyUses(INSPECT, SPI, JOB)),
                DynamicTest.dynamicTest("mpi uses the SPI and the job", () -> onlyUses(MPI, SPI, JOB)),
                DynamicTest.dynamicTest("coll uses the SPI and the job", () -> onlyUses(COLL, SPI, JOB)),
                DynamicTest.dynamicTest("the Linux platform uses the job", () -> onlyUses(LINUX, JOB)),
                DynamicTest.dynamicTest("shm uses the SPI, the job and coll", () -> onlyUses(SHM, JOB, SPI, COLL)),
                DynamicTest.dynamicTest(
                        "libmpi uses the SPI, the job and coll", () -> onlyUses(LIBMPI, JOB, SPI, COLL)),
                DynamicTest.dynamicTest("launch uses mpi, the SPI and the job", () -> onlyUses(LAUNCH, MPI, SPI, JOB)),
                DynamicTest.dynamicTest("doctor uses the job and launch", () -> onlyUses(DOCTOR, JOB, LAUNCH)),
                DynamicTest.dynamicTest("devices use mpi and the job", () -> onlyUses(DEVICE, JOB, MPI)),
                DynamicTest.dynamicTest("futures use mpi and the job", () -> onlyUses(FUTURES, JOB, MPI)),
                DynamicTest.dynamicTest("the service uses futures and the job", () -> onlyUses(SERVE, JOB, FUTURES)),
                DynamicTest.dynamicTest("the contract uses mpi", () -> onlyUses(CONFORMANCE, MPI)),
                DynamicTest.dynamicTest(
                        "training on devices uses train, devices and mpi, and no adapter",
                        () -> onlyUses(
                                "org.tutti.train.device",
                                "org.tutti.train",
                                "org.tutti.train.spi",
                                TRAIN_MODEL,
                                DEVICE,
                                MPI)),
                DynamicTest.dynamicTest(
                        "no package uses cli",
                        () -> noClasses()
                                .that(not(resideInAPackage(CLI)))
                                .should()
                                .dependOnClassesThat()
                                .resideInAPackage(CLI)
                                .check(CLASSES)),
                DynamicTest.dynamicTest(
                        "no package uses the contract",
                        () -> noClasses()
                                .that(not(resideInAPackage(CONFORMANCE)))
                                .should()
                                .dependOnClassesThat()
                                .resideInAPackage(CONFORMANCE)
                                .check(CLASSES)));
    }

    @Test
    void noPackageCycles() {
        slices().matching("org.tutti.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /// The package of the API also contains classes that are not public: the chapters, which are superclasses
    /// of public types, and the implementation (docs/decisions/77). Dependencies between these classes have no
    /// cycle.
    @Test
    void noCyclesAmongTheHiddenClassesOfTheApi() {
        assertThat(hiddenClasses().map(ArchitectureTest::outermost).distinct()).hasSizeGreaterThan(50);
        SliceAssignment eachHiddenClass = new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass c) {
                return isHidden(c) ? SliceIdentifier.of(outermost(c).getSimpleName()) : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "classes of org.tutti.mpi that are not public";
            }
        };
        slices().assignedFrom(eachHiddenClass).should().beFreeOfCycles().check(CLASSES);
    }

    /// The implementation uses no chapter, except for the parts that all chapters of a communicator or a window
    /// share.
    @Test
    void theImplementationUsesNoChapter() {
        Set<JavaClass> chapters = hiddenClasses()
                .filter(c -> !c.isInterface()
                        && c.getAllSubclasses().stream()
                                .anyMatch(s -> s.getPackageName().equals(API) && !isHidden(s)))
                .collect(Collectors.toSet());
        assertThat(chapters).hasSizeBetween(17, 25);
        List<String> shared = List.of("CommHandle", "WindowHandle");
        List<String> uses = hiddenClasses()
                .filter(c -> !chapters.contains(outermost(c)))
                .flatMap(c -> c.getDirectDependenciesFromSelf().stream())
                .filter(d -> chapters.contains(outermost(d.getTargetClass())))
                .filter(d -> !shared.contains(d.getTargetClass().getSimpleName()))
                .map(Dependency::getDescription)
                .toList();
        assertThat(uses).isEmpty();
    }

    private static Stream<JavaClass> hiddenClasses() {
        return CLASSES.stream().filter(ArchitectureTest::isHidden);
    }

    private static boolean isHidden(JavaClass c) {
        JavaClass outermost = outermost(c);
        return c.getPackageName().equals(API)
                && !outermost.getModifiers().contains(JavaModifier.PUBLIC)
                && !outermost.getSimpleName().equals("package-info");
    }

    private static JavaClass outermost(JavaClass c) {
        return c.getEnclosingClass().map(ArchitectureTest::outermost).orElse(c);
    }

    /// One package determines the rank and the job. Apart from it, the launcher reads the variables that it
    /// passes on, and PATH; ranks that connect through torchrun's variables read these; and the search for a
    /// library reads the variables that contain the location.
    @Test
    void onlyTheJobReadsTheEnvironment() {
        noClasses()
                .that(resideInAPackage(ALL)
                        .and(not(resideInAnyPackage(
                                "org.tutti.job.environment",
                                "org.tutti.job.process",
                                "org.tutti.train",
                                "org.tutti.device.library",
                                LAUNCH,
                                COMMAND))))
                .should()
                .callMethod(System.class, "getenv", String.class)
                .orShould()
                .callMethod(System.class, "getenv")
                .check(CLASSES);
    }

    /// A native call relies on properties of a platform. Only three modules make native calls.
    @Test
    void threeModulesCallNativeCode() {
        noClasses()
                .that(not(resideInAnyPackage(LIBMPI, LINUX, DEVICE)))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Linker.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(SymbolLookup.class)
                .check(CLASSES);
    }

    /// Only the program prints to stdout. The training log is an exception, because the user requests the
    /// lines.
    @Test
    void librariesDoNotPrintToStandardOut() {
        noClasses()
                .that(not(resideInAnyPackage(
                        LAUNCH, COMMAND, CONFORMANCE, "org.tutti.bench..", "org.tutti.train.log", "org.tutti.site")))
                .should()
                .accessField(System.class, "out")
                .check(CLASSES);
    }

    /// Contracts use only the user API.
    @Test
    void contractsUseOnlyTheUserApi() {
        noClasses()
                .that(resideInAnyPackage("org.tutti.conformance.contract..", "org.tutti.conformance.trial.."))
                .should()
                .dependOnClassesThat(resideInAPackage("org.tutti..")
                        .and(not(resideInAnyPackage(
                                "org.tutti.mpi", "org.tutti.conformance.contract..", "org.tutti.conformance.trial.."))))
                .check(CLASSES);
    }

    /// A service is declared twice: for the class path and for the module path. If one declaration is missing,
    /// the service is absent on that path, without a message. tutti-resolve is not a Java module.
    @Test
    void servicesAreOnBothPaths() {
        try {
            for (String artifact : Checkout.modules()) {
                if (artifact.equals("tutti-resolve")) continue;
                Path module = Checkout.module(artifact);
                Path info = module.resolve("src/main/java/module-info.java");
                Set<String> provided = !Files.exists(info)
                        ? Set.of()
                        : PROVIDES.matcher(Files.readString(info))
                                .results()
                                .map(m -> m.group(1))
                                .collect(Collectors.toSet());
                Path services = module.resolve("src/main/resources/META-INF/services");
                Set<String> named = new TreeSet<>();
                if (Files.isDirectory(services)) {
                    try (Stream<Path> files = Files.list(services)) {
                        files.forEach(f -> named.add(f.getFileName().toString()));
                    }
                }
                assertThat(named).as("services of " + artifact).isEqualTo(provided);
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
