# A recipe for Spack. Copy it to var/spack/repos/builtin/packages/drumlin/package.py of an instance, or to packages/drumlin/package.py of a
# repository of your own, then:
#
#     spack install drumlin
#     spack load drumlin
#     mpirun -n 4 java -cp app.jar:$CLASSPATH Main
#
# Maven fetches its dependencies from Maven Central while it builds.

from spack.package import *


class Drumlin(Package):
    """Checkpoints and parallel I/O for Java on HPC machines, with the files of FTI, SIONlib, SCR and GSD."""

    homepage = "https://github.com/drumlin-io/drumlin"
    git = "https://github.com/drumlin-io/drumlin.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("uring", default=True, description="Use io_uring where the kernel has it")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("maven@3.8:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("java@17:", type=("build", "run"))
    depends_on("mpi")
    depends_on("liburing", when="+uring")

    def setup_build_environment(self, env):
        # Of the build, not of the user.
        env.set("MAVEN_OPTS", "-Dmaven.repo.local={0}".format(join_path(self.stage.path, "m2")))
        env.set("JAVA_HOME", self.spec["java"].home)

    def install(self, spec, prefix):
        bash = which("bash")
        bash("scripts/install", prefix)

    def setup_run_environment(self, env):
        env.prepend_path("CLASSPATH", join_path(self.prefix.lib, "drumlin-all.jar"))
        env.set("DRUMLIN_NATIVE_DIR", self.prefix.lib)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_command(self):
        Executable(join_path(self.prefix.bin, "drumlin"))("--version")
