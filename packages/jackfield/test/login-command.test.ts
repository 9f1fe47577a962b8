import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { delimiter } from "node:path";
import { Writable } from "node:stream";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../src/command-line.ts";
import { openMcp } from "../src/index.ts";
import { collector, useTemporaryHome } from "./fixture.ts";
import { useGuardedServer } from "./guarded-server.ts";
import { checkDocument } from "./published-schemas.ts";

useLeakCheck();

const home = useTemporaryHome();
const remote = useGuardedServer("read");

/** Runs the command; a simulated user opens the login page that it prints and agrees. */
async function run(...argv: string[]) {
  const visits: Promise<unknown>[] = [];
  const said = collector();
  const stderr = new Writable({
    write(chunk, encoding, done) {
      const [url] = /^ {2}http\S+$/m.exec(String(chunk)) ?? [];
      if (url !== undefined && argv.includes("--no-browser")) visits.push(fetch(url.trim()));
      said.write(chunk, encoding, done);
    },
  });
  const stdout = collector();
  const exitCode = await runCommandLine(argv, { stdout, stderr });
  await Promise.all(visits);
  await checkDocument(argv, stdout.text());
  return { exitCode, stdout: stdout.text(), stderr: said.text() };
}

const entry = (more: object = {}) => JSON.stringify({ url: remote.url, ...more });
const only = (more?: object) => ["--no-discover", "--mcp-server", `files=${entry(more)}`];
const open = () =>
  openMcp({
    servers: { files: { url: remote.url } },
    discover: false,
    cache: false,
    retry: { maxRetries: 0 },
  });

describe("jackfield login", () => {
  it("logs in once, and later runs use that login without asking", async () => {
    const { exitCode, stdout, stderr } = await run("login", "files", "--no-browser", "--json", ...only());
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: "files",
      issuer: remote.authority.issuer,
      scopes: ["read"],
    });
    expect(stdout + stderr).not.toMatch(/access-|refresh-/);
    const mcp = await open();
    try {
      expect(mcp.report.ready.map(({ name }) => name)).toEqual(["files"]);
      const { content } = await mcp.callTool({ server: "files", tool: "echo" }, { text: "hello" });
      expect(JSON.stringify(content)).toContain("hello");
    } finally {
      await mcp.close();
    }
    expect(remote.authority.requestsTo("/authorize")).toHaveLength(1);
    const status = await run("status", "--json", ...only());
    expect(status.exitCode).toBe(0);
  });

  it("opens the browser with the page as its only argument, and also prints the page", async () => {
    const opener = home.file("xdg-open");
    writeFileSync(opener, `#!${process.execPath}\nif (process.argv.length === 3) fetch(process.argv[2]);\n`);
    chmodSync(opener, 0o700);
    vi.stubEnv("PATH", `${home.path}${delimiter}${process.env.PATH}`);
    const { exitCode, stderr } = await run("login", "files", ...only());
    expect({ exitCode, pages: remote.authority.requestsTo("/authorize").length }).toEqual({
      exitCode: 0,
      pages: 1,
    });
    expect(stderr).toContain(`${remote.authority.issuer}/authorize?`);
  });

  it("requests the scopes of --scope in addition", async () => {
    await run("login", "files", "--no-browser", "--scope", "write admin", ...only());
    expect(remote.authority.requestsTo("/authorize")[0]?.parameters.scope).toBe("read write admin");
  });

  it("reports why a login failed, and exits 1", async () => {
    remote.authority.behave({ registration: { status: 403, body: { error: "unapproved_client" } } });
    const { exitCode, stdout, stderr } = await run("login", "files", "--no-browser", ...only());
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`${remote.authority.issuer}/register answered HTTP 403`);
    expect(stderr).toContain("MCP_AUTH_REQUIRED");
  });

  it.each([
    ["an unknown name", ["login", "nobody"], {}, "MCP_SERVER_UNKNOWN"],
    ["no name", ["login"], {}, "MCP_CONFIG_INVALID"],
    [
      "a server whose entry has its own Authorization header",
      ["login", "files"],
      { headers: { Authorization: "x" } },
      "MCP_CONFIG_INVALID",
    ],
    ["a server whose entry disables logins", ["login", "files"], { oauth: false }, "MCP_CONFIG_INVALID"],
  ])("refuses %s", async (_, argv, more, code) => {
    const { exitCode, stderr } = await run(...argv, "--no-browser", ...only(more));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(code);
    expect(remote.authority.requests).toEqual([]);
  });

  it("refuses a server with a password in its URL, but not one with a user alone", async () => {
    const withLogin = (user: string) => ({ url: remote.url.replace("//", `//${user}@`) });
    const refused = await run("login", "files", "--no-browser", ...only(withLogin("ada:pass-123456")));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("MCP_CONFIG_INVALID");
    expect(refused.stderr).toContain("remove them from the URL to log in");
    expect(refused.stderr).not.toContain("pass-123456");
    expect(remote.authority.requests).toEqual([]);
    const { stderr } = await run("login", "files", "--no-browser", ...only(withLogin("ada")));
    expect(stderr).not.toContain("in place of a login");
  });

  it("reports why a named file gave no servers", async () => {
    writeFileSync(home.file("cut.json"), "{");
    for (const command of ["login", "logout"]) {
      const { exitCode, stderr } = await run(command, "files", "--config", home.file("cut.json"));
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/cut\.json:1:.*\n.*MCP_SERVER_UNKNOWN/);
    }
  });

  it.each(["login", "logout"])("%s names the fault of an invalid entry once", async (command) => {
    const { exitCode, stderr } = await run(
      command,
      "files",
      "--no-discover",
      "--mcp-server",
      'files={"url":5}',
    );
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: Server "files" .*"url" must be a string.* \(MCP_CONFIG_INVALID\)\n$/);
  });

  it("says what to check if the server cannot be reached", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { exitCode, stderr } = await run("login", "files", "--no-browser", ...only({ url }));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "Check that the server runs and that its address is right. (MCP_CONNECT_FAILED)",
    );
  });

  it("refuses a local server, and a project's server that is not approved", async () => {
    const local = await run("login", "local", "--no-discover", "--mcp-server", 'local={"command":"x"}');
    expect(local).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("only remote ones") });
    writeFileSync(
      home.file(".mcp.json"),
      JSON.stringify({ mcpServers: { cloned: { type: "http", url: remote.url } } }),
    );
    const cloned = await run("login", "cloned", "--no-browser", "--cwd", home.path);
    expect(cloned).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("MCP_APPROVAL_REQUIRED"),
    });
    expect(remote.guarded.requests).toEqual([]);
  });
});

describe("jackfield logout", () => {
  it("forgets the login, so that the next run asks to log in again", async () => {
    await run("login", "files", "--no-browser", ...only());
    const first = await run("logout", "files", "--json", ...only());
    expect(JSON.parse(first.stdout)).toMatchObject({ loggedIn: false, wasLoggedIn: true });
    expect(JSON.parse((await run("logout", "files", "--json", ...only())).stdout)).toMatchObject({
      wasLoggedIn: false,
    });
    const mcp = await open();
    try {
      expect(mcp.servers()[0]?.error).toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        message: expect.stringContaining("jackfield login files"),
      });
    } finally {
      await mcp.close();
    }
  });
});

describe("a login whose entry has changed", () => {
  it.each<[string, object]>([
    ["has its own Authorization header", { headers: { Authorization: "Bearer x" } }],
    ["has an unset variable in a header", { headers: { "X-Key": "${NOT_SET_ANYWHERE}" } }],
    ["has an unset variable as its client", { oauth: { clientId: "${NOT_SET_ANYWHERE}" } }],
    ["disables logins", { oauth: false }],
    ["cannot have a login", { oauth: { redirectUri: "https://elsewhere.example" } }],
    ["is switched off", { disabled: true }],
  ])("is removed by a logout even if the entry %s", async (_, more) => {
    await run("login", "files", "--no-browser", ...only());
    const { exitCode, stdout } = await run("logout", "files", "--json", ...only(more));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ wasLoggedIn: true, serverUrl: remote.url });
  });

  it("is kept if the entry names another client", async () => {
    await run("login", "files", "--no-browser", ...only());
    const other = await run("logout", "files", "--json", ...only({ oauth: { clientId: "other" } }));
    expect(JSON.parse(other.stdout)).toMatchObject({ wasLoggedIn: false });
    const own = await run("logout", "files", "--json", ...only());
    expect(JSON.parse(own.stdout)).toMatchObject({ wasLoggedIn: true });
  });

  it("is kept if the entry is a project's that is not approved, disabled or not", async () => {
    await run("login", "files", "--no-browser", ...only());
    for (const disabled of [false, true]) {
      const cloned = { type: "http", url: remote.url, disabled };
      writeFileSync(home.file(".mcp.json"), JSON.stringify({ mcpServers: { cloned } }));
      const { exitCode, stderr } = await run("logout", "cloned", "--cwd", home.path);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("MCP_APPROVAL_REQUIRED");
    }
    const own = await run("logout", "files", "--json", ...only());
    expect(JSON.parse(own.stdout)).toMatchObject({ wasLoggedIn: true });
  });
});

describe("the catalog", () => {
  it("keeps apart what each login was shown, and offers it to no other one", async () => {
    const entries = async () => JSON.parse((await run("cache", "list", "--json")).stdout).entries;
    await run("login", "files", "--no-browser", ...only());
    await run("status", ...only());
    expect(await entries()).toMatchObject([{ server: "files", stale: false }]);
    await run("login", "files", "--no-browser", ...only());
    await run("status", ...only());
    const ids = (await entries()).map(({ id }: { readonly id: string }) => id);
    expect(new Set(ids).size).toBe(2);
    await run("logout", "files", ...only());
    const { stdout } = await run("status", "--json", ...only());
    expect(JSON.parse(stdout).servers).toMatchObject([{ name: "files", tools: 0, toolsFrom: "none" }]);
  });
});

describe("the server address in output", () => {
  /** A variable in the path, a literal key in the query, and a user with a password. */
  const withSecrets = () => {
    vi.stubEnv("FILES_TOKEN", "s3cret/token-of-the-path");
    const { origin } = new URL(remote.url);
    const url = `${origin.replace("//", "//ana:pass-word@")}/mcp/\${FILES_TOKEN}?key=literal-key#part`;
    return ["--no-discover", "--mcp-server", `files=${JSON.stringify({ url })}`];
  };
  const SECRETS = /s3cret|token-of-the-path|pass-word|literal-key/;

  it("contains no secret after a logout", async () => {
    const { exitCode, stdout, stderr } = await run("logout", "files", "--json", ...withSecrets());
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toMatch(SECRETS);
    const { origin } = new URL(remote.url);
    expect(JSON.parse(stdout)).toMatchObject({ serverUrl: `${origin}/mcp/[redacted]` });
  });

  it("contains no secret after a login", async () => {
    vi.stubEnv("FILES_KEY", "key-of-the-query");
    const url = `${remote.url}?key=\${FILES_KEY}`;
    const more = ["--no-discover", "--mcp-server", `files=${JSON.stringify({ url })}`];
    const { exitCode, stdout } = await run("login", "files", "--no-browser", "--json", ...more);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("key-of-the-query");
    expect(JSON.parse(stdout)).toMatchObject({ serverUrl: remote.url });
  });

  it("contains no secret in errors and warnings", async () => {
    const { exitCode, stdout, stderr } = await run(
      "login",
      "files",
      "--no-browser",
      "--verbose",
      ...withSecrets(),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).not.toMatch(SECRETS);
  });
});
