import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServerResolver } from "@jackfield/mcp-config";
import { type Session, type StdioServerDefinition, silentLogger } from "@jackfield/mcp-core";
import { createConnector } from "@jackfield/mcp-transports";
import { stdioFaultServer, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { temporaryFolder } from "./fixture.ts";

useLeakCheck();

afterEach(() => {
  vi.unstubAllEnvs();
});

const signal = new AbortController().signal;

/** The host's variables that a child may see on POSIX systems, besides those that its entry names. */
const SAFE = [
  ...["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "TMPDIR", "TZ"],
  ...[
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
  ],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"],
];

/** Some of those that decide whether TLS and installing work. */
const INSTALLING = {
  NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
  SSL_CERT_FILE: "/etc/ssl.pem",
  https_proxy: "http://proxy.example",
  NO_PROXY: "localhost",
  npm_config_registry: "https://registry.example",
  UV_INDEX_URL: "https://index.example",
};

/** Sets these, and takes away what this machine has of their kind, or a script runner has set. */
function installingEnvironment(): void {
  const isOfKind =
    /CERT|_CA_|CAINFO|_TLS|SSL_ROOTS|proxy$|^npm_|^(?:UV|PIP|BUN|YARN|COREPACK|DOCKER|CONTAINER|DENO|CARGO|RUSTUP|PNPM|DOTNET)_|^(?:INIT_CWD|XDG_RUNTIME_DIR|GO\w+)$/i;
  for (const name of Object.keys(process.env)) if (isOfKind.test(name)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(INSTALLING)) vi.stubEnv(name, value);
}

describe.runIf(process.platform !== "win32")("the environment of a child process", () => {
  it("[threat T15] holds only the safe variables of the host and those of its entry", async () => {
    for (let index = 0; index < 500; index += 1) vi.stubEnv(`PLANTED_${index}_API_KEY`, `secret ${index}`);
    for (const name of SAFE) if (process.env[name] === undefined) vi.stubEnv(name, "/tmp");
    installingEnvironment();
    vi.stubEnv("LC_SMUGGLED", "secret");
    vi.stubEnv("LANGUAGE", "() { :; }; echo shellshock");
    const { command, args, env } = stdioFaultServer({ echoEnvironment: true });
    const declared = { ...env, DECLARED: "yes", HOME: "/home/of-the-entry" };
    const mcp = await openMcp({ servers: { child: { command, args, env: declared } }, cache: false });
    try {
      const { structuredContent } = await mcp.callTool({ server: "child", tool: "environment" });
      const seen = structuredContent as Record<string, string>;
      const expected = new Set([...SAFE, ...Object.keys(INSTALLING), ...Object.keys(declared)]);
      expected.delete("LANGUAGE"); // an exported shell function is none of the child's business
      expect(Object.keys(seen).sort()).toEqual([...expected].sort());
      expect(seen).toMatchObject({ ...INSTALLING, ...declared });
      // The folder in which these tests run is not where a server may take programs from.
      const repository = fileURLToPath(new URL("../../../", import.meta.url));
      const outside = process.env.PATH?.split(":").filter((entry) => !`${entry}/`.startsWith(repository));
      expect(seen.PATH).toBe(outside?.join(":"));
      expect(JSON.stringify(seen)).not.toContain("secret");
    } finally {
      await mcp.close();
    }
  });
});

describe.runIf(process.platform !== "win32")("an entry's own PATH", () => {
  /** A project whose folders hold programs called `tool`, each of which leaves the file `canary`, and an honest one elsewhere. */
  function prepare() {
    const folder = temporaryFolder();
    const project = folder.file("project");
    const canary = folder.file("canary");
    for (const place of [".", "bin", "node_modules/.bin"]) {
      mkdirSync(join(project, place), { recursive: true });
      const file = join(project, place, "tool");
      writeFileSync(file, `#!/bin/sh\ntouch '${canary}'\n`);
      chmodSync(file, 0o755);
    }
    mkdirSync(folder.file("installed"));
    symlinkSync(process.execPath, folder.file("installed/tool"));
    return { folder, project, canary, installed: folder.file("installed") };
  }

  /** As the runtime does it with an approved entry: it is resolved, then connected. */
  async function open(definition: StdioServerDefinition): Promise<Session> {
    const server = await createServerResolver({ isAdmitted: () => true })(definition, { signal });
    return createConnector()(server, { signal, log: silentLogger });
  }

  const SCOPES = ["project", "user", "explicit"] as const;
  const PATHS = [
    ["the working directory", ".:INSTALLED"],
    ["an empty entry", ":INSTALLED"],
    ["an empty entry in the middle", "/nowhere::INSTALLED"],
    ["a relative entry", "bin:./node_modules/.bin:INSTALLED"],
    ["a relative entry from a variable", "${PLACE}:INSTALLED"],
    ["an absolute entry", "PROJECT/bin:PROJECT/node_modules/.bin:PROJECT:INSTALLED"],
    ["an absolute entry with a detour", "PROJECT/../project/bin:INSTALLED"],
  ] as const;
  const cases = SCOPES.flatMap((scope) => PATHS.map(([what, path]) => [scope, what, path] as const));

  it.each(cases)("[threat T18] starts no program of the project: in scope %s, %s", async (scope, _, path) => {
    const { folder, project, canary, installed } = prepare();
    vi.stubEnv("PLACE", "bin");
    using _folder = folder;
    const { args, env } = stdioFaultServer();
    const PATH = path.replaceAll("PROJECT", project).replaceAll("INSTALLED", installed);
    const opening = open({
      transport: "stdio",
      name: "tool",
      command: "tool",
      args,
      cwd: project,
      env: { ...env, PATH },
      definedIn: { scope, file: join(project, ".mcp.json") },
    });
    if (scope === "project") {
      // A project's entry may not say at all where programs are looked for.
      await expect(opening).rejects.toMatchObject({ code: "MCP_CONFIG_INVALID" });
    } else {
      await (await opening).close();
    }
    expect(existsSync(canary)).toBe(false);
  });
});
