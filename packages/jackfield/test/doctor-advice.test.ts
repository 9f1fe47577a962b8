import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { McpError, type ServerSnapshot } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { configurationFindings } from "../src/command-line/doctor/configuration-findings.ts";
import type { Finding } from "../src/command-line/doctor/finding.ts";
import { serverFindings } from "../src/command-line/doctor/server-findings.ts";
import { commandLine, everything, scriptServer, useTemporaryHome } from "./fixture.ts";
import { useGuardedServer } from "./guarded-server.ts";

useLeakCheck();

const folder = useTemporaryHome();
const remote = useGuardedServer("read");

/** What the doctor finds first in one configuration file. */
async function findingIn(mcpServers: object, ...argv: string[]): Promise<Finding> {
  const file = folder.file("servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const { stdout } = await commandLine("doctor", "--json", "--cwd", folder.path, "--config", file, ...argv);
  return JSON.parse(stdout)[0];
}

describe("the next step of jackfield doctor", () => {
  it("is a login that finds the server where the doctor has found it, as its error says too", async () => {
    const { message, nextStep } = await findingIn({ files: { url: remote.url } });
    const command = `npx jackfield login files --config ${folder.file("servers.json")} --cwd ${folder.path}`;
    expect(message).toMatch(new RegExp(`Log in with: ${command}$`));
    expect(nextStep).toContain(`Log in with ${command}, or put a valid token into "headers"`);
    // Looks for the server as a login does, and waits for nobody.
    const [, , , ...words] = command.split(" ");
    expect(await commandLine("logout", ...words)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("is no login where the entry has a header of its own, which login says is in its way", async () => {
    const files = { url: remote.url, headers: { Authorization: "Bearer old-token" } };
    const { code, nextStep } = await findingIn({ files });
    expect(code).toBe("login-needed");
    expect(nextStep).toBe(
      "Correct the credential that its entry sends as Authorization (a header, or the variable or key that its host uses for it). A login is used only without one.",
    );
    const login = await commandLine("login", "files", "--config", folder.file("servers.json"));
    expect(login.stderr).toContain("remove the header to log in");
  });

  it("speaks of no header that the entry must have, since some hosts name a variable for the token", async () => {
    const home = folder.file("codex");
    mkdirSync(home);
    vi.stubEnv("CODEX_HOME", home);
    vi.stubEnv("FILES_TOKEN", "old-token");
    const named = `bearer_token_env_var = "FILES_TOKEN"`;
    writeFileSync(`${home}/config.toml`, `[mcp_servers.files]\nurl = "${remote.url}"\n${named}\n`);
    const { code, nextStep } = await findingIn({}, "--hosts", "codex");
    expect(code).toBe("login-needed");
    expect(nextStep).toContain("the variable or key that its host uses for it");
  });

  it("says nothing of headers where the URL has a password, and the same as its error", async () => {
    const url = remote.url.replace("//", "//ada:pass-123456@");
    const { code, message, nextStep } = await findingIn({ files: { url } });
    expect(code).toBe("login-needed");
    expect(message).toContain("Correct the user and the password in its URL, or remove them and log in");
    expect(nextStep).toBe(
      "Correct the user and the password in the URL of its entry. A login is used only without them.",
    );
  });

  it("is a login where the URL has a user alone, and where a server waits for its first call", async () => {
    const url = remote.url.replace("//", "//ada@");
    expect((await findingIn({ files: { url } })).nextStep).toMatch(/^Log in with npx jackfield login files /);
    const headers = { authorization: "Bearer old-token" };
    const { nextStep } = await findingIn({ files: { url, headers, lazy: true } });
    expect(nextStep).toMatch(/^Correct the credential that its entry sends as Authorization/);
  });

  it("is no login where nobody is there to log in with", () => {
    const message = `Server "files": it requires a login, but no authorization server was found for it. Add an Authorization header to its entry instead.`;
    const snapshot: ServerSnapshot = {
      name: "files",
      status: "failed",
      since: 0,
      error: { code: "MCP_AUTH_REQUIRED", message, at: 0 },
      tools: 0,
      toolsFrom: "none",
      calls: 0,
      failures: 0,
      definedIn: { scope: "user", file: "/home/ada/mcp.json", line: 4 },
    };
    const [finding] = serverFindings([snapshot], { errors: new Map(), credentials: new Map(), places: {} });
    expect(finding?.nextStep).toMatch(/^Put a valid token into "headers"/);
  });

  it("is not to set a variable that a project's entry is not given", async () => {
    vi.stubEnv("JACKFIELD_TEST_REGION", "eu-west-7");
    const entry = { ...everything, env: { REGION: "${JACKFIELD_TEST_REGION}" } };
    await commandLine("init", "--cwd", folder.path, "--mcp-server", `theirs=${JSON.stringify(entry)}`);
    const { code, message, nextStep } = await findingIn({});
    expect(code).toBe("variable-unset");
    expect(message).toContain("not given to a project's entry");
    expect(nextStep).toMatch(/--config FILE/);
    expect(nextStep).not.toContain("Set the variable");
  });

  it("is two steps where a project's entry is not given a variable that is not set either", async () => {
    const entry = { ...everything, env: { REGION: "${JACKFIELD_TEST_UNSET}" } };
    await commandLine("init", "--cwd", folder.path, "--mcp-server", `theirs=${JSON.stringify(entry)}`);
    const { message, nextStep } = await findingIn({});
    expect(message).toMatch(/not given to a project's entry.*--config FILE.*, and set it/);
    expect(nextStep).toMatch(/--config FILE.* Set the variable as well\./);
  });

  it("is to correct the path of a file that is not there", async () => {
    const { stdout } = await commandLine(
      "doctor",
      "--json",
      "--no-discover",
      "--config",
      folder.file("none.json"),
    );
    expect(JSON.parse(stdout)).toMatchObject([
      { code: "ConfigReadError", nextStep: "Correct the path, or create the file." },
    ]);
  });

  it("is to see who may read a file that is there", () => {
    const file = folder.file("mcp.json");
    const cause = Object.assign(new Error("permission denied"), { code: "EACCES" });
    const options = { phase: "config", location: { file }, cause } as const;
    const error = new McpError("MCP_CONFIG_NOT_FOUND", `${file} cannot be read.`, options);
    const problem = { kind: "ConfigReadError", error, definedIn: { scope: "explicit", file } } as const;
    const [finding] = configurationFindings({ problems: [problem], diagnostics: [] });
    expect(finding?.nextStep).toBe("Check who can read the file.");
  });

  it("is to correct the entry only where the mistake is in there", async () => {
    const wrong = { command: process.execPath, cwd: folder.file("none") };
    expect(await findingIn({ wrong })).toMatchObject({
      code: "server-failed",
      message: expect.stringContaining('Correct "cwd" in its entry.'),
      nextStep: "Fix the problem that is named here.",
    });
    expect(await findingIn({ wrong: { ...wrong, lazy: true } })).toMatchObject({ code: "server-failed" });
    expect(await findingIn({ wrong: { url: "ftp://${HOME}" } })).toMatchObject({
      code: "ServerConfigError",
      nextStep: "Correct the entry; the others work.",
    });
  });

  it.runIf(process.platform !== "win32")(
    "is not to correct the entry where logins cannot be kept",
    async () => {
      mkdirSync(folder.file("own/state/logins"), { recursive: true });
      chmodSync(folder.file("own/state/logins"), 0o777);
      const { code, message } = await findingIn({ files: { url: remote.url } });
      expect(message).toContain("Credentials are not stored in");
      expect(code).toBe("server-failed");
    },
  );
});

it("jackfield doctor tells the last words of a server once", async () => {
  const server = scriptServer("console.error('no DATABASE_URL'); process.exit(3)");
  const { message } = await findingIn({ server });
  expect(message.split("no DATABASE_URL")).toHaveLength(2);
});
