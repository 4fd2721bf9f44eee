package org.tutti.junit;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/// Creates a run of the test for each number of ranks.
final class RanksExtension implements TestTemplateInvocationContextProvider {
    /// The limit of `tutti run` on one machine; far more threads would exhaust memory.
    private static final int MOST_RANKS = 1024;

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), RanksTest.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        RanksTest test = AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), RanksTest.class)
                .orElseThrow();
        int[] sizes = test.value();
        String what = "@RanksTest on " + context.getRequiredTestMethod().getName() + ": ";
        if (sizes.length == 0) throw new ExtensionConfigurationException(what + "no number of ranks is given");
        for (int size : sizes) {
            if (size < 1) throw new ExtensionConfigurationException(what + size + " is not a number of ranks");
            if (size > MOST_RANKS) {
                throw new ExtensionConfigurationException(what + size + " ranks: a test has at most " + MOST_RANKS);
            }
        }
        if (test.timeoutSeconds() < 0) {
            throw new ExtensionConfigurationException(
                    what + "timeoutSeconds=" + test.timeoutSeconds() + " is negative");
        }
        return Arrays.stream(sizes).mapToObj(size -> new RanksInvocation(size, test));
    }
}
