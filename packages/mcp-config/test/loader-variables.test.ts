import { describe, expect, test } from "vitest";
import { variableKind } from "../src/entry/loader-variables.ts";
import { read, refused } from "./entries/entry-reading.ts";
import { resolveStdio } from "./resolution.ts";

const IN_PROJECT = { scope: "project", file: "/project/mcp.json", line: 3 } as const;

/** By what they do, so that a family is not lost unnoticed. */
const LOADERS = {
  "places of programs and homes":
    "PATH HOME XDG_CONFIG_HOME XDG_DATA_HOME USERPROFILE APPDATA LOCALAPPDATA HOMEDRIVE HOMEPATH TMPDIR TEMP CODEX_HOME JACKFIELD_HOME",
  "the linker and shells":
    "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_PROFILE_OUTPUT DYLD_INSERT_LIBRARIES GCONV_PATH BASH_ENV ENV BASH_FUNC_ls%% SHELL",
  JavaScript:
    "NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE BUN_INSTALL DENO_DIR COREPACK_NPM_REGISTRY npm_config_registry NPM_CONFIG_SCRIPT_SHELL Npm_Config_x npm_config__password pnpm_config_registry PNPM_HOME YARN_RC_FILENAME TS_NODE_PROJECT NODENV_VERSION ESBUILD_BINARY_PATH",
  Python:
    "PYTHONPATH PYTHONSTARTUP PYTHONPYCACHEPREFIX PYTHONWARNINGS PYTHONEXECUTABLE VIRTUAL_ENV CONDA_PREFIX PIP_INDEX_URL PIP_TARGET PIP_TRUSTED_HOST PIPX_DEFAULT_PYTHON UV_INDEX_URL UV_PYTHON UV_PROJECT UV_TOOL_DIR POETRY_VIRTUALENVS_PATH CONDARC GI_TYPELIB_PATH",
  "Ruby, Perl, PHP, Lua and R":
    "RUBYOPT RUBYLIB GEM_PATH BUNDLE_GEMFILE PERL5OPT PERL5LIB PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_PATH_5_4 R_PROFILE R_LIBS RENV_PATHS_ROOT ELIXIR_ERL_OPTIONS COMPOSER",
  "compiled languages":
    "GOFLAGS GOPROXY GOENV GOTOOLCHAIN CGO_CFLAGS RUSTC_WRAPPER RUSTFLAGS CARGO_BUILD_RUSTC JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS DOTNET_ROOT DOTNET_STARTUP_HOOKS COR_PROFILER COMPlus_PerfMapEnabled CORECLR_PROFILER_PATH_64 CC MAKEFLAGS",
  "git, editors and remote shells":
    "GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_KEY_0 GIT_ASKPASS GIT_SSL_NO_VERIFY SSH_ASKPASS SSH_AUTH_SOCK EDITOR VISUAL PAGER BROWSER LESSOPEN",
  "containers and clouds":
    "DOCKER_HOST DOCKER_CONFIG COMPOSE_FILE KUBECONFIG HELM_PLUGINS AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE CLOUDSDK_PYTHON TF_CLI_CONFIG_FILE",
  "proxies and certificates":
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy Https_Proxy GLOBAL_AGENT_HTTP_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SSLKEYLOGFILE TERMINFO",
};

describe("what a variable does", () => {
  test.each(
    Object.entries(LOADERS).flatMap(([what, listed]) => listed.split(" ").map((name) => [name, what])),
  )("[threat T16] %s changes what programs run or trust: %s", (name) => {
    for (const platform of ["linux", "darwin", "win32"] as const)
      expect(variableKind(name, platform)).toBe("loader");
  });

  test.each([
    "node_options",
    "Node_Options",
    "PythonPath",
    "env",
    "git_ssh_command",
    "ComSpec",
    "Path",
    "home",
  ])("[threat T16] %s does so on Windows, where case is ignored, and not elsewhere", (name) => {
    expect(variableKind(name, "win32")).toBe("loader");
    expect(variableKind(name, "linux")).toBe("not-recognised");
  });

  test.each(
    "NODE_ENV PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 RUST_LOG UV_THREADPOOL_SIZE GIT_AUTHOR_NAME GIT_TERMINAL_PROMPT GIT_COMMIT LD_SDK_KEY LD_API_KEY LD_ACCESS_TOKEN NPM_TOKEN GITHUB_TOKEN GIT_TOKEN DOCKER_PASSWORD SSH_HOST GOMAXPROCS DOTNET_ENVIRONMENT".split(
      " ",
    ),
  )("%s is plain data, also in a family", (name) => {
    expect(variableKind(name, "linux")).toBe("data");
    expect(variableKind(name, "win32")).toBe("data");
  });

  test.each(
    " ENVIRONMENT MY_NODE_OPTIONS API_URL LOG_LEVEL AWS_REGION AWS_PROFILE GOOGLE_CLOUD_PROJECT GEMINI_MODEL CORS_ORIGIN STACK_NAME CONTAINER_NAME DATABASE_URL __proto__ constructor".split(
      " ",
    ),
  )("nothing is known of %j", (name) => {
    expect(variableKind(name, "linux")).toBe("not-recognised");
    expect(variableKind(name, "win32")).toBe("not-recognised");
  });
});

describe("an entry that sets a loader variable", () => {
  const local = { command: "node", env: { OK: "1", NODE_OPTIONS: "--require ./x.js" } };
  const remote = { url: "https://host/mcp", env: { LD_PRELOAD: "./x.so" } };

  test.each([
    ["a child process", local, "NODE_OPTIONS"],
    ["a remote server", remote, "LD_PRELOAD"],
    ["a home", { command: "node", env: { HOME: "./x" } }, "HOME"],
    ["a search path", { command: "node", env: { PATH: "./x" } }, "PATH"],
    ["a proxy", { command: "node", env: { https_proxy: "./x" } }, "https_proxy"],
  ])(
    "[threat T16] for %s is refused in a project's file, with the variable and its place",
    (_what, entry, name) => {
      const error = refused(entry, { definedIn: IN_PROJECT });
      expect(error).toMatchObject({
        code: "MCP_CONFIG_INVALID",
        location: { file: "/project/mcp.json", pointer: `/env/${name}` },
      });
      expect(error.message).toContain("/project/mcp.json");
      expect(error.message).toContain(`"${name}" in "env" makes programs load or run other code`);
      expect(error.message).toContain("Remove it from the entry");
      expect(error.message).not.toContain("./x");
    },
  );

  test("[threat T16] is refused once more before it starts, whoever made its definition", async () => {
    const written = { ...local, definedIn: IN_PROJECT };
    await expect(resolveStdio(written)).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });

  test.each(["explicit", "user"] as const)("[threat T16] is accepted in scope %s", (scope) => {
    expect(read(local, { definedIn: { ...IN_PROJECT, scope } }).definition).toMatchObject({ env: local.env });
  });
});
