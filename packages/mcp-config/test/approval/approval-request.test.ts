import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { approvalRequest } from "../../src/approval/approval-request.ts";

function local(command: string, args: readonly string[] = [], rest: object = {}): ServerDefinition {
  const definedIn = { scope: "project", file: "/project/.mcp.json", line: 3 } as const;
  return { name: "github", definedIn, transport: "stdio", command, args, ...rest };
}

describe("an approval request", () => {
  test("shows the whole definition line by line", () => {
    const definition = local("node", ["server.js", ""], {
      env: { TOKEN: "${TOKEN}" },
      cwd: "tools",
      tools: { include: ["*"] },
      extra: { autoApprove: true },
    });
    expect(approvalRequest(definition, "linux").text.split("\n")).toEqual([
      'server   "github"',
      "file     /project/.mcp.json, line 3",
      'command  "node"',
      'arg 1    "server.js"',
      'arg 2    ""',
      'cwd      "tools"',
      'env      TOKEN="${TOKEN}"',
      'tools    {"include":["*"]}',
      'extra    {"autoApprove":true}',
      "unknown  what the command runs, and whether that stays the same",
    ]);
  });

  test("names the source file of each merged field", () => {
    const definedIn: ServerDefinition["definedIn"] = {
      ...({ scope: "project", file: "/project/c.json", root: "/project" } as const),
      parts: {
        "env.NODE_OPTIONS": { scope: "user", file: "/home/u/c\n.json" },
        command: {
          scope: "project",
          file: "/project/a/c.json",
          realFile: "/real/c.json",
          root: "/project/a",
        },
      },
    };
    expect(
      approvalRequest({ ...local("node"), definedIn }, "linux")
        .text.split("\n")
        .slice(1, 4),
    ).toEqual([
      "file     /project/c.json",
      'from     "/real/c.json" (project, for "/project/a"): command',
      'from     "/home/u/c\\u{A}.json" (user): env.NODE_OPTIONS',
    ]);
  });

  test("shows the URL and headers of a remote server", () => {
    const definition: ServerDefinition = {
      name: "docs",
      definedIn: { scope: "project", file: "/project/.mcp.json", realFile: "/elsewhere/x.json" },
      transport: "http",
      url: "https://example.test/mcp",
      headers: { Authorization: "Bearer ${TOKEN}" },
    };
    expect(approvalRequest(definition).text).toBe(
      'server   "docs"\nfile     /elsewhere/x.json\nurl      "https://example.test/mcp" (http)\nheaders  Authorization="Bearer ${TOKEN}"',
    );
  });

  test.each([
    "\r",
    "\u001b[2K",
    "\u202e",
    "\u{e0041}",
    "\u200b",
    "\u2028",
    "\n",
    "\u00a0",
    "\u3164",
    "\ud800",
  ])("[threat T06] shows %j in a command, argument, name or value as its code point", (character) => {
    const tricky = `a${character}b`;
    const definition = {
      ...local(tricky, [tricky], { env: { [tricky]: tricky }, extra: { [tricky]: tricky } }),
      name: tricky,
    };
    const { text } = approvalRequest(definition, "linux");
    const code = `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`;
    expect(text.split("\n")).toHaveLength(8);
    expect(text.split(code).length - 1).toBeGreaterThanOrEqual(5);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\u00a0\u3164]/u);
  });

  test("[threat T06] shows an argument of 10 kB in full", () => {
    const long = `${"x".repeat(10_240)} && rm -rf ~`;
    expect(approvalRequest(local("sh", ["-c", long])).text).toContain(`"${long}"`);
  });

  test("[threat T06] escapes text that imitates another line or closes its quotes", () => {
    const { text } = approvalRequest(local('node" and nothing else', ['\\u{202E}"', '\ncommand  "safe"']));
    expect(text.split("\n").slice(2)).toEqual([
      'command  "node\\" and nothing else"',
      'arg 1    "\\\\u{202E}\\""',
      'arg 2    "\\u{A}command  \\"safe\\""',
      "unknown  what the command runs, and whether that stays the same",
    ]);
  });

  test("[threat T16] says of each variable what it does, or that nothing is known of it", () => {
    const env = { NODE_OPTIONS: "--require ./x.js", NODE_ENV: "test", MY_TOKEN: "x", MODE: "y" };
    const request = approvalRequest(local("node", [], { env }), "linux");
    expect(request.env).toEqual([
      { name: "NODE_OPTIONS", kind: "loader" },
      { name: "NODE_ENV", kind: "data" },
      { name: "MY_TOKEN", kind: "data" },
      { name: "MODE", kind: "not-recognised" },
    ]);
    expect(request.dangerousEnv).toEqual(["NODE_OPTIONS", "MODE"]);
    expect(request.text).toContain(
      "warning  NODE_OPTIONS makes programs load or run other code, or trust other servers",
    );
    expect(request.text).toContain("unknown  what these variables do: MODE");
  });

  test("[threat T21] shows the code that an interpreter is given in its arguments", () => {
    const { text } = approvalRequest(local("node", ["--require", "./x", "-e", "run()"]));
    expect(text).toContain('arg 1    "--require"\narg 2    "./x"\narg 3    "-e"\narg 4    "run()"');
    expect(text).toContain("unknown  what the command runs, and whether that stays the same");
  });
});

describe("[threat T21] what a command fetches", () => {
  test.each([
    ["npx", ["-y", "pkg"], "pkg"],
    ["npx", ["-y", "pkg@latest"], "pkg@latest"],
    ["npx", ["pkg@^1"], "pkg@^1"],
    ["npx", ["pkg@1.2"], "pkg@1.2"],
    ["npx", ["github:owner/pkg@1.2.3"], "github:owner/pkg@1.2.3"],
    ["npx.cmd", ["--yes", "@scope/pkg", "--flag"], "@scope/pkg"],
    ["npx", ["-p", "pkg", "command"], "pkg"],
    ["npx", ["-p", "first@1.0.0", "-p", "second", "command"], "second"],
    ["npx", ["--package=pkg@next", "command"], "pkg@next"],
    ["npx", ["--registry", "http://other.test", "pkg"], "pkg"],
    ["npm", ["exec", "--", "pkg"], "pkg"],
    ["pnpm", ["dlx", "pkg@1"], "pkg@1"],
    ["C:\\tools\\bunx.exe", ["pkg"], "pkg"],
    ["uvx", ["pkg"], "pkg"],
    ["uvx", ["-p", "3.12", "pkg"], "pkg"],
    ["uvx", ["--with", "other", "pkg==1.2"], "other"],
    ["uvx", ["--from", "git+https://example.test/x", "command"], "git+https://example.test/x"],
    ["uv", ["tool", "run", "pkg>=1"], "pkg>=1"],
    ["/usr/bin/pipx", ["run", "pkg"], "pkg"],
  ])("%s %j is reported with the unpinned %s", (command, args, name) => {
    const request = approvalRequest(local(command, args));
    expect(request).toMatchObject({ package: { kind: "unpinned", name }, unpinnedPackage: name });
    expect(request.text).toContain("pin an exact version");
  });

  test.each([
    ["npx", ["-y", "pkg@1.2.3"], "pkg@1.2.3"],
    ["npx", ["@scope/pkg@1.2.3-beta.1"], "@scope/pkg@1.2.3-beta.1"],
    ["npx", ["-p", "first@1.0.0", "-p", "second@2.0.0", "command"], "first@1.0.0 second@2.0.0"],
    ["uvx", ["pkg==1.2"], "pkg==1.2"],
    ["uvx", ["pkg@1.2.3"], "pkg@1.2.3"],
  ])("%s %j is reported as pinned to %s", (command, args, name) => {
    const request = approvalRequest(local(command, args));
    expect(request.package).toEqual({ kind: "pinned", name });
    expect(request.unpinnedPackage).toBeUndefined();
  });

  test.each([
    ["npx", ["./local"]],
    ["npx", ["-y", "--registry", "http://other.test", "pkg@1.2.3"]],
    ["npx", ["-c", "pkg"]],
    ["npx", []],
    ["npm", ["run", "start"]],
    ["env", ["npx", "pkg@1.2.3"]],
    ["sh", ["-c", "npx pkg@1.2.3"]],
    ["docker", ["run", "image"]],
    ["node", ["pkg"]],
    ["./server", []],
  ])("%s %j is reported as not recognised, and never as nothing", (command, args) => {
    const request = approvalRequest(local(command, args));
    expect(request.package).toEqual({ kind: "not-recognised", name: command });
    expect(request.unpinnedPackage).toBe(command);
    expect(request.text).toContain("unknown  what the command runs");
  });
});
