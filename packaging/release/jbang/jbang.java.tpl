//usr/bin/env jbang "$0" "$@" ; exit $?
//JAVA {{distributionJavaVersion}}+
//DEPS {{jbangDistributionGA}}:{{projectVersion}}
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED
// {{jreleaserCreationStamp}}

/// The command `tutti`.
public class {{jbangScriptName}} {
    public static void main(String... args) throws Exception {
        {{distributionJavaMainClass}}.main(args);
    }
}
