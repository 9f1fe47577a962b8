import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import type { ServerSnapshot } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import type { Finding } from "../src/command-line/doctor/finding.ts";
import { serverFindings } from "../src/command-line/doctor/server-findings.ts";
import { commandLine, everything, scriptServer, useTemporaryHome } from "./fixture.ts";
import { useGuardedServer } from "./guarded-server.ts";

useLeakCheck();

const folder = useTemporaryHome();
const remote = useGuardedServer("read");

const failed: ServerSnapshot = {
  name: "files",
  status: "failed",
  since: 0,
  tools: 0,
  toolsFrom: "none",
  calls: 0,
  failures: 0,
  definedIn: { scope: "user", file: "/home/ada/mcp.json", line: 4 },
};

const nothingKnown = { errors: new Map(), credentials: new Map(), places: {} };

/** What the doctor finds first in one configuration file. */
async function findingIn(mcpServers: object, ...argv: string[]): Promise<Finding> {
  const file = folder.file("servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const { stdout } = await commandLine("doctor", "--json", "--cwd", folder.path, "--config", file, ...argv);
  return JSON.parse(stdout).findings[0];
}

describe("the next step of jackfield doctor", () => {
  it("is a token where the error has a login command, which finds the same server", async () => {
    const { message, nextStep } = await findingIn({ files: { url: remote.url } });
    const command = `npx jackfield login files --config ${folder.file("servers.json")} --cwd ${folder.path}`;
    expect(message).toMatch(new RegExp(`Log in with: ${command}$`));
    expect(nextStep).toMatch(/^Or put a valid token into "headers" of the entry: /);
    // Looks for the server as a login does, and needs no answer.
    const [, , , ...words] = command.split(" ");
    expect(await commandLine("logout", ...words)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it.each<[string, () => object, string]>([
    [
      "a command that may not be run",
      () => {
        writeFileSync(folder.file("crash.mjs"), "", { mode: 0o600 });
        return { command: folder.file("crash.mjs") };
      },
      "Make the file executable, or name its interpreter as the command.",
    ],
    [
      "a working directory that does not exist",
      () => ({ command: "node", cwd: folder.file("none") }),
      'Correct "cwd" in its entry.',
    ],
    [
      "a server that logs to standard output",
      () => ({
        ...scriptServer("console.log('Server starting'); process.stdin.resume()"),
        connectTimeoutMs: 1_000,
      }),
      "have it log to standard error.",
    ],
    [
      "a server that exits at once",
      () => scriptServer("process.exit(3)"),
      "Run its command in a terminal to see why.",
    ],
    [
      "a server that cannot be reached",
      () => ({ url: "http://127.0.0.1:1/mcp" }),
      "Check that it runs and that its address is right.",
    ],
    [
      "an entry of no known form",
      () => ({ command: process.execPath, url: remote.url }),
      "keep the one you mean.",
    ],
  ])("is left out where the message ends with it: %s", async (_, entry, step) => {
    const { message, nextStep } = await findingIn({ files: entry() });
    expect(message.endsWith(step)).toBe(true);
    expect(nextStep).toBeUndefined();
    const file = folder.file("servers.json");
    const { stdout } = await commandLine("doctor", "--cwd", folder.path, "--config", file);
    expect(stdout).not.toContain("→");
  });

  it("is to repeat --mcp-server with the login command where no file has the entry", async () => {
    const argv = ["--json", "--no-discover", "--mcp-server", `files=${JSON.stringify({ url: remote.url })}`];
    const { findings } = JSON.parse((await commandLine("doctor", ...argv)).stdout);
    const [{ message, nextStep }] = findings;
    expect(message).toContain("Log in with: npx jackfield login files");
    expect(nextStep).toMatch(
      /^Add the same --mcp-server to the command, or put a valid token into "headers"/,
    );
  });

  it("is left out for the entry's own Authorization header, which the message says to correct", async () => {
    const files = { url: remote.url, headers: { Authorization: "Bearer old-token" } };
    const { code, message, nextStep } = await findingIn({ files });
    expect(code).toBe("login-needed");
    expect(message).toContain("Correct the credential that its entry sends as Authorization (a header, or ");
    expect(nextStep).toBeUndefined();
    const login = await commandLine("login", "files", "--config", folder.file("servers.json"));
    expect(login.stderr).toContain("remove the header to log in");
  });

  it("is left out where the message mentions the variable or key that a host uses for the token", async () => {
    const home = folder.file("codex");
    mkdirSync(home);
    vi.stubEnv("CODEX_HOME", home);
    vi.stubEnv("FILES_TOKEN", "old-token");
    const named = `bearer_token_env_var = "FILES_TOKEN"`;
    writeFileSync(`${home}/config.toml`, `[mcp_servers.files]\nurl = "${remote.url}"\n${named}\n`);
    const { code, message, nextStep } = await findingIn({}, "--hosts", "codex");
    expect(code).toBe("login-needed");
    expect(message).toContain("the variable or key that its host uses for it");
    expect(nextStep).toBeUndefined();
  });

  it("is left out for a password in the URL, which the message says to correct", async () => {
    const url = remote.url.replace("//", "//ada:pass-123456@");
    const { code, message, nextStep } = await findingIn({ files: { url } });
    expect(code).toBe("login-needed");
    expect(message).toContain("Correct the user and the password in its URL, or remove them and log in");
    expect(nextStep).toBeUndefined();
  });

  it("is another credential for a URL with a user alone, but not for a lazy entry that sends its own", async () => {
    const url = remote.url.replace("//", "//ada@");
    const { message, nextStep } = await findingIn({ files: { url } });
    expect(message).toContain("Log in with: npx jackfield login files ");
    expect(nextStep).toMatch(/^Or put a valid token /);
    const headers = { authorization: "Bearer old-token" };
    const lazy = await findingIn({ files: { url, headers, lazy: true } });
    expect(lazy.message).toContain("Correct the credential that its entry sends as Authorization");
    expect(lazy.nextStep).toBeUndefined();
  });

  it.each([
    [
      "the message advises a header",
      "No authorization server was found for it. Add an Authorization header to its entry instead.",
      'The header is written as "headers": { "Authorization": "Bearer ${NAME}" }.',
    ],
    [
      "the message advises a login or a header",
      "It refused access (HTTP 401). Log in, or give its entry a valid Authorization header, and connect again.",
      'The header is written as "headers": { "Authorization": "Bearer ${NAME}" }.',
    ],
    [
      "the message ends with the header",
      "The login failed. Log in again, or give its entry a valid Authorization header.",
      'The header is written as "headers": { "Authorization": "Bearer ${NAME}" }.',
    ],
    [
      "the message advises something else",
      "The login was not finished within 300 seconds. Log in again.",
      'Or put a valid token into "headers" of the entry: { "Authorization": "Bearer ${NAME}" }.',
    ],
    [
      "the message has no step",
      "Its authorization server refused the token request: invalid_grant (expired).",
      'Put a valid token into "headers" of the entry: { "Authorization": "Bearer ${NAME}" }. A login is used only without such a header.',
    ],
  ])("says of a token only what is new where %s", (_, message, nextStep) => {
    const error = { code: "MCP_AUTH_REQUIRED", message, at: 0 } as const;
    expect(serverFindings([{ ...failed, error }], nothingKnown)).toMatchObject([{ message, nextStep }]);
  });

  it("is left out for a variable that is not set, whose message has it", async () => {
    const { code, message, nextStep } = await findingIn({ files: { command: "${JACKFIELD_TEST_UNSET}" } });
    expect(code).toBe("variable-unset");
    expect(message).toMatch(/ Set it, or write a default as in \S+\.$/);
    expect(nextStep).toBeUndefined();
  });

  it.each(["No seats are left.", "No seats are left; run out of patience", "Bad token. Log in with: evil"])(
    "is the same whatever a server that refuses says, such as %j",
    async (words) => {
      const answer = `const { id } = JSON.parse(line); console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: ${JSON.stringify(words)} } }))`;
      const server = scriptServer(
        `require("node:readline").createInterface(process.stdin).on("line", (line) => { ${answer} })`,
      );
      const { code, message, nextStep } = await findingIn({ server });
      expect(code).toBe("server-failed");
      expect(message).toContain(words);
      expect(nextStep).toMatch(/^The server runs, but refuses to work; its message says why\./);
    },
  );

  it("is to set a variable of a project's entry, which its approval gives it", async () => {
    const entry = { ...everything, env: { REGION: "${JACKFIELD_TEST_UNSET}" } };
    await commandLine("init", "--cwd", folder.path, "--mcp-server", `theirs=${JSON.stringify(entry)}`);
    const { code, message, nextStep } = await findingIn({});
    expect(code).toBe("variable-unset");
    expect(message).toMatch(/a variable that is not set: "JACKFIELD_TEST_UNSET".* Set it/);
    expect(`${message} ${nextStep}`).not.toContain("--config");
  });

  it.each<[string, () => void, string, string]>([
    ["that is missing", () => {}, "ConfigReadError", "Correct the path, or "],
    [
      "that is a folder",
      () => mkdirSync(folder.file("bad.json")),
      "ConfigReadError",
      "Correct the path, or ",
    ],
    [
      "in another encoding",
      () => writeFileSync(folder.file("bad.json"), Buffer.from([0x7b, 0xe9, 0x7d])),
      "ConfigEncodingError",
      "save it as UTF-8.",
    ],
  ])("is left out for a file %s, whose message has it", async (_, make, code, step) => {
    make();
    const argv = ["--json", "--no-discover", "--config", folder.file("bad.json")];
    const { findings } = JSON.parse((await commandLine("doctor", ...argv)).stdout);
    const [finding, ...others] = findings;
    expect(finding).toMatchObject({ code, message: expect.stringContaining(step) });
    expect(finding).not.toHaveProperty("nextStep");
    expect(others).toEqual([]);
  });

  it("is added where the message only says what is wrong", async () => {
    writeFileSync(folder.file("bad.json"), "{");
    const argv = ["--json", "--no-discover", "--config", folder.file("bad.json")];
    const { findings } = JSON.parse((await commandLine("doctor", ...argv)).stdout);
    const [finding] = findings;
    expect(finding.nextStep).toBe("Correct the file at this place; its servers are not read until then.");
  });

  it("is left out for a local server that is too slow, whose message has it", async () => {
    const slow = { ...scriptServer("process.stdin.resume()"), connectTimeoutMs: 200 };
    const { message, nextStep } = await findingIn({ slow });
    expect(message).toMatch(/run its command in a terminal to see why\.$/);
    expect(nextStep).toBeUndefined();
  });

  it("is left out where the message about a protocol ends with it", () => {
    const message = "They have no protocol version in common: 1999. Update the server or this client.";
    const error = { code: "MCP_PROTOCOL_UNSUPPORTED", message, at: 0 } as const;
    expect(serverFindings([{ ...failed, error }], nothingKnown)).toMatchObject([
      { message, nextStep: undefined },
    ]);
  });

  it("repeats the options that were given in the command that shows the details", () => {
    const error = { code: "MCP_INTERNAL", message: "It failed.", at: 0 } as const;
    const places = {
      configFiles: [folder.file("a.json")],
      hosts: [],
      servers: { s: { command: "x" } },
      cache: "-c",
    };
    const told = { errors: new Map(), credentials: new Map(), places };
    const [finding] = serverFindings([{ ...failed, error }], told);
    expect(finding?.nextStep).toBe(
      `See the details with: npx jackfield status --verbose --mcp-server … --config ${folder.file("a.json")} --no-discover --cache=-c`,
    );
  });

  it("is to correct the entry only if the mistake is in the entry", async () => {
    const wrong = { command: process.execPath, cwd: folder.file("none") };
    expect(await findingIn({ wrong })).toMatchObject({
      code: "server-failed",
      message: expect.stringContaining('Correct "cwd" in its entry.'),
    });
    expect(await findingIn({ wrong: { ...wrong, lazy: true } })).toMatchObject({ code: "server-failed" });
    expect(await findingIn({ wrong: { url: "ftp://${HOME}" } })).toMatchObject({
      code: "ServerConfigError",
    });
  });

  it.runIf(process.platform !== "win32")(
    "is left out, and the code is server-failed, not login-needed, if logins cannot be stored",
    async () => {
      mkdirSync(folder.file("own/state/logins"), { recursive: true });
      chmodSync(folder.file("own/state/logins"), 0o777);
      const { code, message, nextStep } = await findingIn({ files: { url: remote.url } });
      expect(message).toMatch(
        /^Nothing is kept in .*: other users can write to it; remove their access \(chmod 700\), or name another folder\.$/,
      );
      expect(code).toBe("server-failed");
      expect(nextStep).toBeUndefined(); // the message ends with it
    },
  );
});

it("jackfield doctor shows a server's last stderr output once", async () => {
  const server = scriptServer("console.error('no DATABASE_URL'); process.exit(3)");
  const { message } = await findingIn({ server });
  expect(message.split("no DATABASE_URL")).toHaveLength(2);
});
