import type { DefinedIn } from "@jackfield/mcp-core";
import { placeOfPart } from "../find/project-boundary.ts";
import { names } from "../resolve/launchers.ts";

/**
 * Families of variables that programs, and the programs they start, read before any of their own settings: where code is looked for,
 * which options are added, which other programs are run, and whom they trust. A family counts as a whole, because each version of a
 * program adds members.
 */
const FAMILIES = [
  // the dynamic linker, the C library, and plug-ins of libraries that many programs load
  "LD_ DYLD_ GLIBC_ MALLOC_ OPENSSL_ GTK_ GIO_ GST_ QT_ MAGICK_ KRB5",
  // shells
  "BASH_ BASHOPTS FPATH",
  // where programs keep their own code, settings and state
  "XDG_ PROGRAMFILES COMMONPROGRAMFILES",
  // JavaScript
  "NODE_ NODENV_ NVM_ FNM_ VOLTA_ COREPACK_ DENO_ TS_NODE_ TSX_ BABEL_ ELECTRON_",
  // Python
  "PYTHON PYENV_ PYTEST_ PYPY PIP_ PIPX_ PIPENV_ UV_ POETRY_ PDM_ HATCH_ RYE_ PIXI_ CONDA_ MAMBA_ VIRTUAL_ENV VIRTUALENV_",
  // Ruby, Perl, PHP, Lua, R, Julia, Erlang
  "RUBY GEM_ BUNDLE_ BUNDLER_ RBENV_ PERL PHP LUA_ LUAROCKS_ R_ RENV_ JULIA_ ERL_ ELIXIR_ MIX_ HEX_ TCL_",
  // the Java machine and its builders
  "JAVA_ JDK_ JRE_ JVM_ MAVEN_ MVN GRADLE_ ANT_ SBT_ KOTLIN_ SCALA_ GROOVY_ JBANG_ LEIN_",
  // .NET
  "DOTNET_ COR_ CORECLR_ COMPLUS_ COMPlus_ MSBUILD NUGET_ ASPNETCORE_HOSTINGSTARTUP",
  // Go, Rust, Haskell, Nix and the builders of C
  "CGO_ GOENV_ CARGO_ RUST RUSTUP_ GHC_ CABAL_ NIX_ CMAKE_ PKG_CONFIG GCC_ MAKEF",
  // version control and remote shells
  "GIT_ SSH_ HGRC SVN_ GPG_",
  // containers, clusters, and tools with settings that name programs
  "DOCKER_ COMPOSE_ CONTAINERS_ PODMAN_ BUILDKIT_ BUILDX_ KUBECONFIG HELM_ TF_CLI_ TF_PLUGIN_ ANSIBLE_ CLOUDSDK_ ASDF_ MISE_ RTX_ DIRENV_ HOMEBREW_",
  // certificate stores and hosts
  "SSL_ TERMINFO",
].flatMap((line) => line.split(" "));

/** Members of no family that do the same. */
const SINGLE_NAMES = names(
  [
    "PATH PATHEXT COMSPEC PSMODULEPATH HOME HOMEDRIVE HOMEPATH USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA ALLUSERSPROFILE",
    "SYSTEMROOT SYSTEMDRIVE WINDIR TMPDIR TMP TEMP ZDOTDIR ENV SHELL SHELLOPTS CDPATH IFS PS0 PS4 PROMPT_COMMAND",
    "EDITOR VISUAL PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE LESSKEY SUDO_ASKPASS SUDO_EDITOR DBUS_SESSION_BUS_ADDRESS TERMCAP",
    "GCONV_PATH LOCPATH NLSPATH GETCONF_DIR HOSTALIASES RES_OPTIONS LOCALDOMAIN TZDIR NODE NPM __PYVENV_LAUNCHER__ IPYTHONDIR",
    "_JAVA_OPTIONS CLASSPATH M2 CC CXX LIBRARY_PATH CPATH C_INCLUDE_PATH COMPILER_PATH MFLAGS GNUMAKEFLAGS CAML_LD_LIBRARY_PATH",
    "CURL_SSL_BACKEND SSLKEYLOGFILE WGETRC NETRC HTTPLIB2_CA_CERTS GRPC_DEFAULT_SSL_ROOTS_FILE_PATH AWS_CONFIG_FILE AWS_DATA_PATH",
    "AWS_SHARED_CREDENTIALS_FILE AWS_CREDENTIAL_FILE AZURE_CONFIG_DIR BOTO_CONFIG OCI_CLI_CONFIG_FILE TF_DATA_DIR TF_REATTACH_PROVIDERS",
    "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES ODBCINI ODBCINSTINI ODBCSYSINI PGSERVICEFILE PGSYSCONFDIR PGSSLROOTCERT TNS_ADMIN",
    "GEMRC GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH TCLLIBPATH STACK_ROOT STACK_YAML EMACSLOADPATH VIMINIT EXINIT VIMRUNTIME VK_LAYER_PATH VK_ICD_FILENAMES",
    "LIBGL_DRIVERS_PATH OCL_ICD_VENDORS JUPYTER_PATH JUPYTER_CONFIG_DIR JUPYTER_CONFIG_PATH CONTAINER_HOST CONTAINER_CONNECTION GDK_PIXBUF_MODULE_FILE CLAUDE_CONFIG_DIR MAKE HGEDITOR HGMERGE GCCGO CONDARC ESBUILD_BINARY_PATH GI_TYPELIB_PATH GNUPGHOME COMPOSER",
  ].join(" "),
);

/** Members of the families that are plainly data, and that servers and their programs are often given. */
const PLAIN_DATA = names(
  [
    "NODE_ENV NODE_DEBUG NODE_NO_WARNINGS NODE_DISABLE_COLORS NODE_LOG_LEVEL DENO_ENV DENO_NO_UPDATE_CHECK BUN_ENV BABEL_ENV UV_THREADPOOL_SIZE",
    "UV_NO_PROGRESS UV_HTTP_TIMEOUT PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONNOUSERSITE",
    "PYTHONSAFEPATH PYTHONFAULTHANDLER PYTHONASYNCIODEBUG PYTHONDEVMODE PYTHONOPTIMIZE PYTHONLEGACYWINDOWSSTDIO PYTHON_ENV",
    "PIP_DISABLE_PIP_VERSION_CHECK RUST_LOG RUST_BACKTRACE GOMAXPROCS GOGC GOMEMLIMIT DOTNET_ENVIRONMENT DOTNET_NOLOGO",
    "DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_CLI_UI_LANGUAGE DOTNET_SYSTEM_GLOBALIZATION_INVARIANT MIX_ENV",
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT",
    "GIT_COMMIT GIT_COMMIT_SHA GIT_SHA GIT_BRANCH GIT_TAG GIT_REF GIT_USERNAME GIT_EMAIL GIT_DEFAULT_BRANCH GIT_REPO GIT_REPO_PATH GIT_REPO_URL",
    "GIT_REPOSITORY GIT_BASE_DIR SSH_HOST SSH_PORT SSH_USER SSH_USERNAME DOCKER_USERNAME",
    "LD_CLIENT_SIDE_ID LD_PROJECT_KEY LD_ENVIRONMENT_KEY",
  ].join(" "),
);

/** A credential is data, whatever family its name belongs to, as in `LD_SDK_KEY` or `NPM_TOKEN`. */
const CREDENTIAL = /(?:^|_)(?:TOKEN|PASSWORD|SECRET|API_KEY|SDK_KEY|SECRET_KEY)$/;

/** npm and its kin read their settings from names in any case, on every system, and so do programs that look for a proxy. */
const IN_ANY_CASE =
  /^(?:npm|pnpm|yarn|bun|corepack)_|^(?:global_agent_|cgi_)?(?:https?|all|no|ftp|rsync|socks[45]?|grpc|wss?)_proxy$/i;

/** Go's variables, which have no prefix of their own. */
const OF_GO =
  /^GO(?:PATH|ROOT\w*|BIN|FLAGS|PROXY|ENV|CACHE\w*|MODCACHE|MOD|WORK|TOOLCHAIN|TOOLDIR|NO[A-Z]+|SUMDB|PRIVATE|INSECURE|VCS|EXPERIMENT|DEBUG|TMPDIR|AUTH|111MODULE|OS|ARCH|AMD64|ARM\w*|EXE|COVERDIR|RACE|FIPS140|_EXTLINK_ENABLED)$/;

/** Folders of programs, such as `CODEX_HOME`, and stores of certificates, such as `REQUESTS_CA_BUNDLE`. */
const BY_ENDING = /(?:_HOME|_CA_BUNDLE|_CA_CERTS?|_CACERT|_CA_FILE)$/;

/**
 * What a variable does as far as its name tells: `loader` makes programs load or run other code, or trust somebody else; `data` is a
 * credential or a setting without such power; `not-recognised` is anything else, about which nothing is known.
 */
export type VariableKind = "loader" | "data" | "not-recognised";

/** Tells what a variable does, by its name on that system. */
export function variableKind(name: string, platform: NodeJS.Platform): VariableKind {
  const canonical = platform === "win32" ? name.toUpperCase() : name;
  if (/^p?npm_config_|^BASH_FUNC_|^GIT_CONFIG/i.test(name)) return "loader"; // Their names may end like those of credentials.
  if (PLAIN_DATA.has(canonical) || CREDENTIAL.test(canonical)) return "data";
  const isLoader =
    SINGLE_NAMES.has(canonical) ||
    OF_GO.test(canonical) ||
    BY_ENDING.test(canonical) ||
    IN_ANY_CASE.test(name) ||
    FAMILIES.some((family) => canonical.startsWith(family));
  return isLoader ? "loader" : "not-recognised";
}

/** Whether a variable makes programs load or run other code or trust somebody else, so that a project's entry may not set it. */
export function isLoaderVariable(name: string, platform: NodeJS.Platform): boolean {
  return variableKind(name, platform) === "loader";
}

/** The first such variable that a project has written into an entry's `env`. */
export function loaderOfProject(
  definedIn: DefinedIn,
  env: { readonly [name: string]: unknown } | undefined,
  platform: NodeJS.Platform,
): string | undefined {
  if (definedIn.scope !== "project" || env === undefined) return undefined;
  return Object.keys(env).find(
    (name) => isLoaderVariable(name, platform) && placeOfPart(definedIn, ["env", name]).scope === "project",
  );
}

/** The end of a message about such a variable; its place comes first. */
export const LOADER_FAULT =
  "makes programs load or run other code, or trust other servers, which a project's entry may not do. Remove it from the entry, and set it where this program is started if you need it";
