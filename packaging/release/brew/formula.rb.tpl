# {{jreleaserCreationStamp}}
class {{brewFormulaName}} < Formula
  desc "{{projectDescription}}"
  homepage "{{projectLinkHomepage}}"
  url "{{distributionUrl}}"
  version "{{projectVersion}}"
  sha256 "{{distributionChecksumSha256}}"
  license "{{projectLicense}}"

  {{#brewDependencies}}
  depends_on {{.}}
  {{/brewDependencies}}

  def install
    libexec.install Dir["*"]
    # openjdk@{{distributionJavaVersion}} is keg-only, so it is neither on the PATH nor in a standard directory
    (bin/"tutti").write_env_script libexec/"bin/tutti", Language::Java.overridable_java_home_env("{{distributionJavaVersion}}")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tutti --version")
    assert_match "process 1 of 2", shell_output("#{bin}/tutti run -n 2 #{libexec}/examples/Hello.java")
  end
end
