import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { approvalRequest } from "../../src/approval/approval-request.ts";
import { unpinnedPackage } from "../../src/approval/package-pin.ts";

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
    expect(text.split("\n")).toHaveLength(6);
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
    ]);
  });

  test("[threat T16] warns about environment variables that load other code", () => {
    const request = approvalRequest(
      local("node", [], { env: { NODE_OPTIONS: "--require ./x.js", HOME: "/x" } }),
      "linux",
    );
    expect(request.dangerousEnv).toEqual(["NODE_OPTIONS"]);
    expect(request.text).toContain("warning  NODE_OPTIONS makes programs load or run other code");
  });
});

describe("[threat T21] unpinned packages", () => {
  test.each([
    ["npx", ["-y", "pkg"], "pkg"],
    ["npx", ["-y", "pkg@latest"], "pkg@latest"],
    ["npx", ["pkg@^1"], "pkg@^1"],
    ["npx.cmd", ["--yes", "@scope/pkg", "--flag"], "@scope/pkg"],
    ["npx", ["-p", "pkg", "command"], "pkg"],
    ["npx", ["--package=pkg@next", "command"], "pkg@next"],
    ["npm", ["exec", "--", "pkg"], "pkg"],
    ["pnpm", ["dlx", "pkg@1"], "pkg@1"],
    ["C:\\tools\\bunx.exe", ["pkg"], "pkg"],
    ["uvx", ["pkg"], "pkg"],
    ["uvx", ["--from", "git+https://example.test/x", "command"], "git+https://example.test/x"],
    ["uv", ["tool", "run", "pkg>=1"], "pkg>=1"],
    ["/usr/bin/pipx", ["run", "pkg"], "pkg"],
  ])("%s %j is reported with the unpinned %s", (command, args, unpinned) => {
    expect(unpinnedPackage(local(command, args))).toBe(unpinned);
    expect(approvalRequest(local(command, args)).text).toContain("pin an exact version");
  });

  test.each([
    ["npx", ["-y", "pkg@1.2.3"]],
    ["npx", ["@scope/pkg@1.2.3-beta.1"]],
    ["npx", ["./local"]],
    ["uvx", ["pkg==1.2"]],
    ["uvx", ["pkg@1.2.3"]],
    ["npm", ["run", "start"]],
    ["node", ["pkg"]],
    ["npx", []],
  ])("%s %j runs no unpinned package", (command, args) => {
    expect(unpinnedPackage(local(command, args))).toBeUndefined();
  });
});
