import { createMap, ownMember } from "../read/json-value.ts";

/** Variables by name, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * What a child gets of the user's environment, on top of the safe names. `true`: everything; a list: these names, and what decides
 * whether TLS and installing work; `false`: nothing.
 */
export type InheritEnv = boolean | readonly string[];

/**
 * What a child needs to find programs, its home and its language, and nothing that is usually secret. The first six are
 * those of the official SDK. `LC_*` is spelled out, because the prefix is a known way to smuggle other values through.
 */
const SAFE_ON_POSIX: readonly string[] = words(
  "HOME LOGNAME PATH SHELL TERM USER TMPDIR TZ LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY",
  "LC_NUMERIC LC_TIME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME",
);

/** The official SDK's list, and `TMP`. */
const SAFE_ON_WINDOWS: readonly string[] = words(
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES",
  "PROGRAMFILES(X86) PROGRAMW6432 SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR",
);

/**
 * What decides whether a child reaches a network and its package manager installs anything: certificates, proxies, registries and
 * caches. Programs read most of these names in either case. A registry's credentials, and what turns checks off, are not among them.
 */
const INSTALLING: readonly string[] = words(
  // Certificates
  "NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE DENO_CERT",
  "DENO_TLS_CA_STORE GIT_SSL_CAINFO PIP_CERT CARGO_HTTP_CAINFO UV_NATIVE_TLS UV_SYSTEM_CERTS HTTPLIB2_CA_CERTS",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH YARN_HTTPS_CA_FILE_PATH BUNDLE_SSL_CA_CERT",
  // Proxies
  "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY NODE_USE_ENV_PROXY PIP_PROXY YARN_HTTP_PROXY YARN_HTTPS_PROXY",
  // Registries, mirrors and caches
  "NPM_CONFIG_REGISTRY NPM_CONFIG_CAFILE NPM_CONFIG_CA NPM_CONFIG_PROXY NPM_CONFIG_HTTP_PROXY NPM_CONFIG_HTTPS_PROXY",
  "NPM_CONFIG_NOPROXY NPM_CONFIG_CACHE NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG NPM_CONFIG_PREFIX NPM_CONFIG_OFFLINE",
  "NPM_CONFIG_PREFER_OFFLINE NPM_CONFIG_STORE_DIR COREPACK_NPM_REGISTRY YARN_NPM_REGISTRY_SERVER BUN_CONFIG_REGISTRY",
  "UV_INDEX_URL UV_DEFAULT_INDEX UV_INDEX UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_CACHE_DIR UV_OFFLINE UV_CONFIG_FILE UV_TOOL_DIR",
  "UV_PYTHON_INSTALL_MIRROR UV_PYTHON_INSTALL_DIR UV_PYTHON_DOWNLOADS UV_PYTHON_PREFERENCE UV_HTTP_TIMEOUT",
  "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_CONFIG_FILE PIP_CACHE_DIR PIPX_HOME GOPROXY GOSUMDB GOPRIVATE GONOSUMDB",
  "DENO_DIR NPM_CONFIG_DISTURL COREPACK_HOME PNPM_HOME BUN_INSTALL CARGO_HOME RUSTUP_HOME DOTNET_ROOT",
  // Where containers are started, and images come from
  "DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY CONTAINER_HOST XDG_RUNTIME_DIR",
);

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

const INSTALLING_IN_ANY_CASE: readonly string[] = INSTALLING.flatMap((name) =>
  /_PROXY$|^NPM_CONFIG_/.test(name) ? [name, name.toLowerCase()] : [name],
);

/** Whether every child gets the variable anyway, so that its value is widely known and no secret. */
export function isCommonVariable(name: string, platform: NodeJS.Platform): boolean {
  return safeNames(platform).includes(canonicalName(name, platform));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name may not contain
const NO_PART_OF_NAMES = /[=\u0000-\u001f\u007f-\u009f]/;

/** Why a text cannot name a variable of a process, or `undefined` if it can. */
export function environmentNameFault(name: string): string | undefined {
  if (name === "") return "is not a valid variable name";
  return NO_PART_OF_NAMES.test(name)
    ? "contains a character that is not allowed in a variable name"
    : undefined;
}

/** Merges two sets of variables; where both have a name, the upper value counts. */
export function layEnvironment(
  upper: { readonly [name: string]: string },
  lower: Environment,
  platform: NodeJS.Platform,
): { [name: string]: string } {
  const named = new Set(Object.keys(upper).map((name) => canonicalName(name, platform)));
  const layered = createMap<string>();
  for (const name of Object.keys(lower)) {
    const value = lower[name];
    if (value !== undefined && !named.has(canonicalName(name, platform))) layered[name] = value;
  }
  for (const name of Object.keys(upper)) layered[name] = upper[name] as string;
  return layered;
}

/**
 * The whole environment of a child: the safe part of the parent's, what `inheritEnv` adds, and on top the variables of the server's
 * entry. Inherited values that begin with `()` are exported shell functions and are left out.
 *
 * @param usual - where the names that nobody has listed are looked up, if that is another environment than the parent's
 */
export function childEnvironment(
  parent: Environment,
  inheritEnv: InheritEnv | undefined,
  own: { readonly [name: string]: string },
  platform: NodeJS.Platform,
  usual: Environment = parent,
): { [name: string]: string } {
  const inherited = createMap<string>();
  const take = (from: Environment, names: readonly string[]) => {
    for (const name of names) {
      const value: unknown = ownMember(from, name);
      if (typeof value === "string" && !value.startsWith("()")) inherited[name] = value;
    }
  };
  if (inheritEnv === true) take(usual, Object.keys(usual));
  else {
    take(usual, spelledIn(usual, safeNames(platform), platform));
    if (inheritEnv !== false) take(usual, spelledIn(usual, INSTALLING_IN_ANY_CASE, platform));
    if (inheritEnv) take(parent, spelledIn(parent, inheritEnv, platform));
  }
  return layEnvironment(own, inherited, platform);
}

/** The variables on which installing and TLS depend that the environment has and the child does not get, sorted. */
export function withheldFrom(
  child: Environment,
  environment: Environment,
  platform: NodeJS.Platform,
): readonly string[] {
  const given = new Set(Object.keys(child).map((name) => canonicalName(name, platform)));
  const known = spelledIn(environment, [...INSTALLING_IN_ANY_CASE, "NODE_TLS_REJECT_UNAUTHORIZED"], platform);
  return known.filter((name) => environment[name] && !given.has(canonicalName(name, platform))).sort();
}

function safeNames(platform: NodeJS.Platform): readonly string[] {
  return platform === "win32" ? SAFE_ON_WINDOWS : SAFE_ON_POSIX;
}

/** Variables are case-insensitive on Windows; with two spellings of one, the choice would be left to chance. */
function canonicalName(name: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? name.toUpperCase() : name;
}

/** The names as the environment spells them. */
function spelledIn(
  environment: Environment,
  names: readonly string[],
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform !== "win32") return names;
  const allowed = new Set(names.map((name) => canonicalName(name, platform)));
  return Object.keys(environment).filter((name) => allowed.has(canonicalName(name, platform)));
}
