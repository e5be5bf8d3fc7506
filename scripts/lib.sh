# shellcheck shell=bash
# Functions of the scripts in this folder. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
version=$(<"$root/version.txt")
mvn=${MVN:-mvn}
mpicc=${MPICC:-mpicc}

say() { printf '\n==> %s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# step LOG WORDS COMMAND...: runs a command with its output in build/LOG.log. Prints a line: the words, a dot for each five
# seconds, and how many it took in the end. Where the command fails, the end of the log and its path.
step() {
  local log=$root/build/$1.log begin=$SECONDS status dots
  # scripts/setup may be called by another user than the build, and where nothing can be written.
  if ! { mkdir -p "$root/build" && : >"$log"; } 2>/dev/null; then log=$(mktemp "/tmp/drumlin-$1-XXXXXX.log"); fi
  if [[ -n ${SUDO_UID:-} ]]; then chown "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$root/build" "$log" 2>/dev/null || true; fi
  printf '    %s ' "$2"
  shift 2
  # It ends with this script, however that ends; its sleep must not keep a pipe open.
  { while sleep 5 >/dev/null 2>&1 && kill -0 $$; do printf .; done; } 2>/dev/null &
  dots=$!
  # Not behind || or if, where the shell would go on after a command of a function that fails.
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  { kill "$dots" && wait "$dots"; } 2>/dev/null || true
  printf ' %s s\n' "$((SECONDS - begin))"
  if ((status == 0)); then return; fi
  tail -n 60 "$log" >&2 || true
  fail "that failed. The lines above are the last of $log"
}

# The comment at the top of the calling script is its manual.
usage() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"; }

bad_usage() {
  printf '%s: %s\n\n' "$(basename "$0")" "$1" >&2
  usage >&2
  exit 2
}

# Prints the feature release of the JDK at $1, for example 17. Reads its release file: starting a JVM costs more.
jdk_release() {
  local line
  line=$(grep -s '^JAVA_VERSION=' "$1/release") || return 1
  line=${line#*\"}
  line=${line%%[.\"-]*}
  printf '%s\n' "$line"
}

# Prints "release home" for every JDK of 17 or later, lowest release first; JAVA_HOME wins within a release.
find_jdks() {
  local home release javac
  javac=$(command -v javac || true)
  for home in "${JAVA_HOME:-}" "${javac:+$(readlink -f "$javac" | sed 's|/bin/javac$||')}" /usr/lib/jvm/*; do
    [[ -n $home && -x $home/bin/javac ]] || continue
    release=$(jdk_release "$home") || continue
    if ((release >= 17)); then printf '%s %s\n' "$release" "$(readlink -f "$home")"; fi
  done | sort -s -n -k 1,1 -u
}

# Compiling with the lowest JDK makes one build that every later JDK runs.
use_build_jdk() {
  local release home
  read -r release home < <(find_jdks) || fail "no JDK of 17 or later found; run scripts/setup or set JAVA_HOME"
  # shellcheck disable=SC2034 # for the callers
  build_release=$release
  export JAVA_HOME=$home
}

# Prints the options that a JVM of release $1 needs to load native code without a warning.
native_access() { if (($1 >= 24)); then echo --enable-native-access=ALL-UNNAMED; fi; }

# Prints the options that mpirun needs here, one per line.
mpirun_options() {
  echo --oversubscribe
  if ((EUID == 0)); then echo --allow-run-as-root; fi
}

# Configures and builds native/. $1: build folder; the rest: options for CMake. Clusters often lack Ninja and cmocka.
build_native() {
  local folder=$1 generator=()
  shift
  # A tree that was moved or copied has a cache that points elsewhere.
  if ! grep -qsFx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
    if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  fi
  if [[ -n ${MPICC:-} ]]; then
    set -- "-DMPI_C_COMPILER=$(command -v "$mpicc")" "$@"
    # Debian and Ubuntu name what belongs together alike: mpicc.mpich, mpiexec.mpich.
    if [[ $mpicc == *mpicc.* ]]; then set -- "-DMPIEXEC_EXECUTABLE=$(command -v "${mpicc/mpicc./mpiexec.}")" "$@"; fi
  fi
  # Both ways: the cache remembers what an earlier build did without.
  if pkg-config --exists cmocka 2>/dev/null; then set -- -DDRUMLIN_TESTS=ON "$@"; else set -- -DDRUMLIN_TESTS=OFF "$@"; fi
  cmake -S "$root" -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release "$@" >"$root/build/cmake.log" 2>&1 || {
    cat "$root/build/cmake.log" >&2
    fail "CMake could not configure the native part; scripts/setup installs what it needs"
  }
  cmake --build "$folder" --parallel
}

# A build remembers the MPI it found; drops one that was made for another than MPICC or the mpicc in PATH.
forget_other_mpi() {
  if ! grep -qsFx "MPI_C_COMPILER:FILEPATH=$(command -v "$mpicc")" "$root/build/cmake/CMakeCache.txt"; then
    rm -rf "$root/build/cmake"
  fi
}

# Prints the ABI of the MPI that the build in $1 has found: openmpi or mpich, or nothing.
mpi_abi() { sed -n 's/^DRUMLIN_MPI_ABI:INTERNAL=//p' "$1/CMakeCache.txt"; }

# install_native FOLDER COMPONENT OPTION...: builds in build/FOLDER and installs, all of it if COMPONENT is empty.
install_native() {
  local folder=$root/build/$1 component=()
  if [[ -n $2 ]]; then component=(--component "$2"); fi
  build_native "$folder" "-DCMAKE_INSTALL_PREFIX=$root/build/native" "${@:3}"
  cmake --install "$folder" "${component[@]}"
}

# build_natives OPTION...: the C core and libdrumlin_mpi for the MPI of mpicc, and libdrumlin_mpi-NAME.so for those that the
# array mpis names, or else for both that Debian and Ubuntu have, as far as they are there. Into build/native.
build_natives() {
  local name
  rm -f "$root"/build/native/lib/libdrumlin_mpi-*.so # the MPI of an earlier build
  step native "C core: build/native" install_native cmake "" "$@"
  for name in openmpi mpich; do
    if [[ $(mpi_abi "$root/build/cmake") == "$name" ]]; then continue; fi
    if ((${#mpis[@]} > 0)); then
      [[ " ${mpis[*]} " == *" $name "* ]] || continue
      command -v "mpicc.$name" >/dev/null || fail "there is no mpicc.$name; say MPICC=/path/of/mpicc for one of another name"
    elif ! command -v "mpicc.$name" >/dev/null; then
      continue
    fi
    MPICC=mpicc.$name mpicc=mpicc.$name \
      step "native-$name" "The same for the other MPI: $name" install_native "cmake-$name" any_mpi -DDRUMLIN_MPI=ON
  done
}
mpis=()

# Prints the local repository without starting Maven: what settings.xml says, else the default.
local_repository() {
  local configured
  configured=$(sed -n 's:.*<localRepository>\(.*\)</localRepository>.*:\1:p' "$HOME/.m2/settings.xml" 2>/dev/null || true)
  # shellcheck disable=SC2016 # Maven's variable
  configured=${configured//'${user.home}'/$HOME}
  printf '%s\n' "${configured:-$HOME/.m2/repository}"
}

run_maven() {
  # Maven would keep classes that no check has seen.
  if [[ -e $root/build/classes.stamp ]]; then rm -rf "$root"/java/*/target/classes "$root"/build/classes.{stamp,path}; fi
  call_maven "$@"
}

call_maven() {
  command -v "$mvn" >/dev/null || fail "no $mvn found; run scripts/setup, or say where Maven is with MVN=/path/of/mvn"
  (cd "$root" && "$mvn" -B -ntp "$@")
}

# compile_classes OPTION...: the classes that the examples and the command need, without checks, tests and jars. Puts their
# class path, which the build writes for each module, into build/classes.path.
compile_classes() {
  : >"$root/build/classes.stamp"
  call_maven process-test-classes -pl java/examples,java/cli -am '-P!errorprone' -Dspotless.check.skip=true \
    -Denforcer.skip=true -Dmaven.test.skip=true "$@"
  awk 1 "$root"/java/{examples,cli}/target/class-path | tr ':' '\n' | grep -v '/target/test-classes$' | sort -u |
    paste -s -d : >"$root/build/classes.path"
}

# Whether all is there that build/classes.path names.
classes_present() {
  local entries entry
  [[ -s $root/build/classes.path ]] || return 1
  IFS=: read -r -a entries <"$root/build/classes.path" || true
  for entry in "${entries[@]}"; do [[ -e $entry ]] || return 1; done
}

# golden_cases: prints the folder below build/golden with the golden cases as plain files, which it makes if it must.
# golden_cases DIR: packs the cases at or below DIR instead.
# shellcheck disable=SC2120 # the scripts pass what they mean
golden_cases() { (cd "$root" && run_jar "$root/java/base/target/test-classes" io.drumlin.Golden "$@"); }

# Prints what the jars are made from, a line per file. Of build/native it takes what CMake installs, not the glue that
# Maven adds.
java_sources() (
  cd "$root" || exit
  find pom.xml version.txt .mvn java build/native \( -name target -o -path java/golden/cases \) -prune -o \
    -type f ! -name .flattened-pom.xml ! -name 'libjni*' -printf '%p %s %T@\n' 2>/dev/null || true
)

# Prints a digest over names, sizes and times of the sources, and over the options in "$@".
java_fingerprint() {
  {
    printf '%s\n' "$JAVA_HOME" "$@"
    java_sources | LC_ALL=C sort
  } | sha256sum
}

jars_present() {
  local pom jars
  for pom in "$root"/java/*/pom.xml; do
    if [[ ! -d ${pom%/pom.xml}/src ]]; then continue; fi # the bill of materials
    jars=("${pom%/pom.xml}"/target/*.jar)
    [[ -e ${jars[0]} ]] || return 1
  done
}

# Prints the jar of module $1, if it was built.
built_jar() {
  local jar=$root/java/$1/target/drumlin-$1-$version.jar
  [[ -e $jar ]] && printf '%s\n' "$jar"
}

# run_jar JAR CLASS ARGUMENT...: replaces the script by a JVM; JAVA_HOME chooses it, DRUMLIN_JAVA_OPTS are more options.
run_jar() {
  local jar=$1 java=${JAVA_HOME:+$JAVA_HOME/bin/}java home options=() more utf8=()
  shift
  command -v "$java" >/dev/null || fail "no $java found; install a JDK of 17 or later or set JAVA_HOME"
  java=$(command -v "$java")
  home=$(readlink -f "$java" | sed 's|/bin/java$||')
  mapfile -t options < <(native_access "$(jdk_release "$home" || echo 17)")
  # Only a place to look: without a C core everything runs in Java.
  options+=("-Djava.library.path=$root/build/native/lib")
  read -ra more <<<"${DRUMLIN_JAVA_OPTS:-}"
  # In the locale C the JVM cannot open a file with a letter beyond ASCII in its name.
  if [[ $(locale charmap 2>/dev/null) == ANSI* ]]; then utf8=(env LC_ALL=C.UTF-8); fi
  # Quick to start: no parallel collector for programs that hold a few MiB.
  exec "${utf8[@]}" "$java" -XX:+UseSerialGC "${options[@]}" "${more[@]}" -cp "$jar" "$@"
}
