# Finds a JDK 25 or newer. Sourced by ./mvnw and the tutti commands; requires only a POSIX sh:
#
#   . .mvn/find-jdk.sh && tutti_find_jdk || exit 1      # then $JAVA_HOME is set and exported
#
# JAVA_HOME has priority if it is new enough. The common installation directories follow, where a JDK 25 has priority
# over newer ones, because the build is tested with 25; then `java` on the PATH. The version is read from the `release`
# file of each JDK, so no JVM is started and, in the common case, no process at all.

TUTTI_MIN_JDK=25

# Sets _tj_version to the JAVA_VERSION of the JDK at $1 and _tj_major to its first number; fails if $1 is no JDK.
_tutti_jdk_version() {
  _tj_version='' _tj_major=''
  [ -f "$1/release" ] && [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
  while IFS='=' read -r _tj_key _tj_value || [ -n "$_tj_key" ]; do
    if [ "$_tj_key" = JAVA_VERSION ]; then
      _tj_version=${_tj_value#\"}
      _tj_version=${_tj_version%%\"*}
      break
    fi
  done <"$1/release"
  _tj_major=${_tj_version%%[!0-9]*}
  [ -n "$_tj_major" ]
}

# Checks the directory $1. Succeeds, and ends the search, if it is a JDK 25. Stores the first newer JDK in _tj_newer.
_tutti_consider_jdk() {
  _tutti_jdk_version "$1" || return 1
  if [ "$_tj_major" -eq "$TUTTI_MIN_JDK" ]; then
    _tj_found=$1
    return 0
  fi
  if [ "$_tj_major" -gt "$TUTTI_MIN_JDK" ]; then
    [ -n "$_tj_newer" ] || _tj_newer=$1
  else
    _tj_too_old="$_tj_too_old
  $1 is $_tj_version"
  fi
  return 1
}

_tutti_search_jdk() {
  for _tj_dir in /usr/lib/jvm/* /opt/* /opt/java/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* \
    "${HOME:-/nonexistent}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    _tutti_consider_jdk "$_tj_dir" && return 0
  done
  if [ -x /usr/libexec/java_home ]; then
    _tj_dir=$(/usr/libexec/java_home -v "$TUTTI_MIN_JDK" 2>/dev/null) && _tutti_consider_jdk "$_tj_dir" && return 0
  fi
  if [ -n "$_tj_newer" ]; then
    _tj_found=$_tj_newer
    return 0
  fi
  # `java` on the PATH is usually a symbolic link into the JDK.
  _tj_dir=$(command -v java) && _tj_dir=$(readlink -f "$_tj_dir" 2>/dev/null) || return 1
  _tj_dir=${_tj_dir%/bin/java}
  _tutti_consider_jdk "$_tj_dir" && return 0
  _tj_found=$_tj_newer
  [ -n "$_tj_found" ]
}

tutti_find_jdk() {
  _tj_found='' _tj_newer='' _tj_too_old=''
  if [ -n "${JAVA_HOME-}" ]; then
    if _tutti_jdk_version "$JAVA_HOME"; then
      if [ "$_tj_major" -ge "$TUTTI_MIN_JDK" ]; then
        export JAVA_HOME
        return 0
      fi
      _tj_too_old="
  JAVA_HOME=$JAVA_HOME is $_tj_version"
    else
      _tj_too_old="
  JAVA_HOME=$JAVA_HOME is not a JDK (no release file, bin/java or bin/javac)"
    fi
  fi

  # The search needs globs; a caller may run with `set -f`.
  case $- in
  *f*)
    set +f
    _tutti_search_jdk || :
    set -f
    ;;
  *) _tutti_search_jdk || : ;;
  esac
  if [ -n "$_tj_found" ]; then
    JAVA_HOME=$_tj_found
    export JAVA_HOME
    return 0
  fi

  cat >&2 <<END
Tutti needs a JDK $TUTTI_MIN_JDK or newer (a JDK, not only a JRE), and found none. Looked at, in this order:
  JAVA_HOME (${JAVA_HOME:-not set})
  /usr/lib/jvm/*  /opt/*  /opt/java/*  ~/.sdkman/candidates/java/*  ~/.jdks/*
  /Library/Java/JavaVirtualMachines/*/Contents/Home  /usr/libexec/java_home -v $TUTTI_MIN_JDK
  java on the PATH${_tj_too_old:+
Found, but no use:$_tj_too_old}
Install one, for example with
  apt-get install openjdk-$TUTTI_MIN_JDK-jdk        (or temurin-$TUTTI_MIN_JDK-jdk from the Adoptium packages)
  sdk install java $TUTTI_MIN_JDK-tem
  brew install openjdk@$TUTTI_MIN_JDK
or set JAVA_HOME to where one is.
END
  return 1
}
