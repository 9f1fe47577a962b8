import type { DefinedIn } from "@jackfield/mcp-core";
import { placeOfPart } from "./project-boundary.ts";

/**
 * Variables that make an otherwise harmless program load or run other code: interpreters' start-up files and search paths, those of
 * the dynamic linker, and the places that packages are fetched from (threat T16). `LD_` is not a prefix here, because the names of
 * some services' keys begin with it.
 */
const LOADER_VARIABLES: ReadonlySet<string> = new Set([
  // the dynamic linker and the C library
  ...[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "GCONV_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
  ],
  // shells, and what Windows starts in their place
  ...["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "ZDOTDIR", "COMSPEC", "PATHEXT"],
  // JavaScript
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "BUN_INSPECT_PRELOAD"],
  // Python
  ...["PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONPLATLIBDIR"],
  ...["PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"],
  ...[
    "UV_CONFIG_FILE",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
  ],
  // Perl, Ruby, PHP, Java, .NET
  ...["PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "PHPRC", "PHP_INI_SCAN_DIR"],
  ...["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"],
  ...["DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "COR_PROFILER_PATH"],
  // git: the variables that name a program, or a repository or settings that do
  ...["GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF"],
  ...["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"],
  ...["GIT_DIR", "GIT_COMMON_DIR", "GIT_ALLOW_PROTOCOL"],
]);

/** Prefixes of whole families. `GIT_CONFIG_…` can set any setting, `core.sshCommand` among them. */
const LOADER_PREFIXES: readonly string[] = ["DYLD_", "BASH_FUNC_", "GIT_CONFIG"];

/** npm and its kin read their settings from names in any case, on every system. */
const PACKAGE_MANAGER_SETTING = /^(?:npm|pnpm|bun)_config_|^yarn_/i;

/** Whether a variable makes programs load or run code, so that a project's entry may not set it. */
export function isLoaderVariable(name: string, platform: NodeJS.Platform): boolean {
  const canonical = platform === "win32" ? name.toUpperCase() : name;
  return (
    LOADER_VARIABLES.has(canonical) ||
    LOADER_PREFIXES.some((prefix) => canonical.startsWith(prefix)) ||
    PACKAGE_MANAGER_SETTING.test(name)
  );
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
  "makes programs load or run other code, which a project's entry may not do. Put the entry into your own configuration if you trust it";
