import { describe, expect, test } from "vitest";
import { isLoaderVariable } from "../src/loader-variables.ts";
import { read, refused } from "./entries/entry-reading.ts";

const IN_PROJECT = { scope: "project", file: "/project/mcp.json", line: 3 } as const;

describe("isLoaderVariable", () => {
  test.each([
    ...[
      "NODE_OPTIONS",
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "LD_AUDIT",
      "DYLD_INSERT_LIBRARIES",
      "DYLD_LIBRARY_PATH",
    ],
    ...[
      "PYTHONSTARTUP",
      "PYTHONPATH",
      "PYTHONHOME",
      "BASH_ENV",
      "ENV",
      "BASH_FUNC_ls%%",
      "PERL5OPT",
      "RUBYOPT",
    ],
    ...[
      "JAVA_TOOL_OPTIONS",
      "_JAVA_OPTIONS",
      "npm_config_registry",
      "NPM_CONFIG_SCRIPT_SHELL",
      "Npm_Config_x",
    ],
    ...[
      "pnpm_config_registry",
      "YARN_RC_FILENAME",
      "UV_INDEX_URL",
      "PIP_INDEX_URL",
      "GIT_SSH",
      "GIT_SSH_COMMAND",
    ],
    ...["GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_EXEC_PATH"],
    ...["GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_DIR", "GIT_TEMPLATE_DIR"],
  ])("[threat T16] is true for %s on every platform", (name) => {
    expect(isLoaderVariable(name, "linux")).toBe(true);
    expect(isLoaderVariable(name, "darwin")).toBe(true);
    expect(isLoaderVariable(name, "win32")).toBe(true);
  });

  test.each(["node_options", "Node_Options", "PythonPath", "env", "git_ssh_command", "ComSpec", "PathExt"])(
    "[threat T16] is true for %s on Windows, where case is ignored, and false elsewhere",
    (name) => {
      expect(isLoaderVariable(name, "win32")).toBe(true);
      expect(isLoaderVariable(name, "linux")).toBe(false);
    },
  );

  test.each([
    ...[
      "",
      "PATH",
      "HOME",
      "NODE_ENV",
      "NODE_OPTIONS_FILE",
      "MY_NODE_OPTIONS",
      "LD_API_KEY",
      "LD_SDK_KEY",
      "ENVIRONMENT",
    ],
    ...["PYTHONUNBUFFERED", "PYTHONIOENCODING", "GITHUB_TOKEN", "GIT_AUTHOR_NAME", "GIT_TERMINAL_PROMPT"],
    ...["JAVA_HOME", "npm_package_name", "UV_CACHE_DIR", "__proto__", "constructor"],
  ])("is false for %j", (name) => {
    expect(isLoaderVariable(name, "linux")).toBe(false);
    expect(isLoaderVariable(name, "win32")).toBe(false);
  });
});

describe("an entry that sets a loader variable", () => {
  const local = { command: "node", env: { OK: "1", NODE_OPTIONS: "--require ./x.js" } };
  const remote = { url: "https://host/mcp", env: { LD_PRELOAD: "./x.so" } };

  test.each([
    ["a child process", local, "NODE_OPTIONS"],
    ["a remote server", remote, "LD_PRELOAD"],
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
      expect(error.message).toContain("Put the entry into your own configuration");
      expect(error.message).not.toContain("./x");
    },
  );

  test.each(["explicit", "user"] as const)("[threat T16] is accepted in scope %s", (scope) => {
    expect(read(local, { definedIn: { ...IN_PROJECT, scope } }).definition).toMatchObject({ env: local.env });
  });
});
