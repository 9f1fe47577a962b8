import { mkdirSync, writeFileSync } from "node:fs";
import { createServerResolver } from "@jackfield/mcp-config";
import {
  type DefinedIn,
  McpError,
  type OAuthSettings,
  type ResolveServer,
  type ServerDefinition,
} from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { approvedEntry, entryAuthorization } from "../src/entry-authorization.ts";
import { useTemporaryHome } from "./fixture.ts";

const home = useTemporaryHome();

/** The OAuth settings of an entry in a host's file, with the commands in its values run. */
function authorizationOf(host: string, oauth: OAuthSettings, runCommands = true, parts?: DefinedIn["parts"]) {
  const definedIn = { scope: "user", host, file: home.file("mcp.json"), pointer: "/files", parts } as const;
  const url = "https://files.example/mcp";
  const { signal } = new AbortController();
  return entryAuthorization(
    { name: "files", transport: "http", url, oauth, definedIn },
    createServerResolver({ runCommands }),
    signal,
  );
}

describe("a reference as an OAuth setting of a project's entry", () => {
  const { signal } = new AbortController();
  const entry: ServerDefinition = {
    name: "files",
    transport: "http",
    url: "https://files.example/mcp",
    oauth: { clientId: "${JACKFIELD_TEST_CLIENT}", clientSecret: "!echo never" },
    definedIn: { scope: "project", file: "/project/.mcp.json" },
    variables: ["JACKFIELD_TEST_CLIENT"],
  };

  it("is filled in with what the approval of the entry lists, and no command runs", async () => {
    vi.stubEnv("JACKFIELD_TEST_CLIENT", "of-mine");
    const isAdmitted = (definition: ServerDefinition) => approvedEntry(definition) === entry;
    const resolve = createServerResolver({ isAdmitted, runCommands: true });
    expect(await entryAuthorization(entry, resolve, signal)).toMatchObject({
      settings: { clientId: "of-mine", clientSecret: "!echo never" },
    });
    const unlisted = { ...entry, variables: [] };
    const attempt = entryAuthorization(unlisted, createServerResolver({ isAdmitted: () => true }), signal);
    await expect(attempt).rejects.toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
  });

  it("is not filled in before the entry is approved", async () => {
    const attempt = entryAuthorization(entry, createServerResolver({ isAdmitted: () => false }), signal);
    await expect(attempt).rejects.toMatchObject({ code: "MCP_APPROVAL_REQUIRED" });
  });
});

describe("a command as an OAuth setting of an entry", () => {
  it("gives what the command prints", async () => {
    const { settings } = await authorizationOf("omp", { clientId: "me", clientSecret: "!echo of-mine" });
    expect(settings).toEqual({ clientId: "me", clientSecret: "of-mine" });
  });

  it("runs in the folder of the file that contains it, if several files were merged", async () => {
    mkdirSync(home.file("weaker"));
    writeFileSync(home.file("weaker/secret"), "of-mine");
    const file = home.file("weaker/mcp.json");
    const oauth = { clientId: "me", clientSecret: "$(cat ./secret)" };
    const { settings } = await authorizationOf("crush", oauth, true, {
      "oauth.clientSecret": { scope: "user", file },
    });
    expect(settings).toEqual({ clientId: "me", clientSecret: "of-mine" });
  });

  const FAILING = [
    ["omp", "!exit 1"],
    ["omp", "!true"],
    ["crush", "$(exit 1)"],
    ["crush", "$(true)"],
  ] as const;
  const withoutValue = (member: string) => ({
    code: "MCP_CONFIG_INVALID",
    server: "files",
    phase: "resolve",
    message: expect.stringContaining(`has no value for ${member}: the command for it failed`),
  });

  it.each(FAILING)("in %s fails as a client id if %s prints nothing", async (host, clientId) => {
    await expect(authorizationOf(host, { clientId })).rejects.toMatchObject(withoutValue("clientId"));
  });

  it.each(FAILING)(
    "in %s fails as a client secret only on use if %s prints nothing",
    async (host, clientSecret) => {
      const { settings, ...rest } = await authorizationOf(host, { clientId: "!echo me", clientSecret });
      expect(settings).toEqual({ clientId: host === "omp" ? "me" : "!echo me", clientSecret: undefined });
      expect(rest).toEqual({
        scope: "user",
        clientSecretError: expect.objectContaining(withoutValue("clientSecret")),
      });
    },
  );

  it("fails as a client secret only on use if commands are not allowed", async () => {
    const authorization = await authorizationOf(
      "omp",
      { clientId: "me", clientSecret: "!echo of-mine" },
      false,
    );
    expect(authorization).toMatchObject({
      settings: { clientId: "me", clientSecret: undefined },
      clientSecretError: { code: "MCP_CONFIG_VARIABLE_MISSING" },
    });
  });
});

describe("the resolver of OAuth settings", () => {
  const signal = new AbortController().signal;
  const place = (name: string) => ({ scope: "user", file: `/home/ada/${name}/mcp.json` }) as const;

  it("gets each setting as a header with that setting's place", async () => {
    const parts = {
      "oauth.clientSecret": place("secret"),
      "headers.clientSecret": place("header"),
      "oauth.clientId": place("client"),
      url: place("url"),
      envFile: place("env"),
    };
    const places: DefinedIn["parts"][] = [];
    const resolve: ResolveServer = async (definition) => {
      places.push(definition.definedIn.parts);
      const headers = "headers" in definition ? { ...definition.headers } : {};
      return { name: "files", transport: "http", url: "https://files.example/mcp", headers, secrets: [] };
    };
    const oauth = { clientId: "${ME}", clientSecret: "${SECRET}" };
    const definedIn = { ...place("whole"), parts };
    const url = "https://files.example/mcp";
    await entryAuthorization({ name: "files", transport: "http", url, oauth, definedIn }, resolve, signal);
    expect(places).toEqual([
      { ...parts, "headers.clientId": place("client") },
      { ...parts, "headers.clientSecret": place("secret") },
    ]);
  });
});

describe("an error in an entry's OAuth settings", () => {
  it.each(["clientId", "clientSecret", "privateKey", "redirectUri", "resource"])(
    "names %s as the entry writes it",
    async (member) => {
      const { settings, clientSecretError: error } = await authorizationOf("claude-code", {
        [member]: "${NOT_SET_ANYWHERE}",
      }).catch((thrown: unknown) => ({ settings: undefined, clientSecretError: thrown }));
      expect(settings === undefined).toBe(member !== "clientSecret");
      expect(error).toBeInstanceOf(McpError);
      expect(error).toMatchObject({
        code: "MCP_CONFIG_VARIABLE_MISSING",
        server: "files",
        phase: "resolve",
        location: { file: home.file("mcp.json"), pointer: "/files" },
        message: expect.stringContaining(`"NOT_SET_ANYWHERE" in "oauth.${member}"`),
      });
      expect((error as McpError).message).not.toContain("headers");
    },
  );

  /** Reads settings with a resolver that fails for the secret, perhaps after the reading was aborted. */
  function failing(error: unknown, isGivenUp = false) {
    const reading = new AbortController();
    const resolve: ResolveServer = async () => {
      if (isGivenUp) reading.abort();
      throw error;
    };
    const definedIn = { scope: "user", file: home.file("mcp.json") } as const;
    const oauth = { clientId: "me", clientSecret: "${SECRET}" };
    const url = "https://files.example/mcp";
    return entryAuthorization(
      { name: "files", transport: "http", url, oauth, definedIn },
      resolve,
      reading.signal,
    );
  }

  it("that a resolver throws for the client secret becomes its clientSecretError", async () => {
    const thrown = new Error("the vault is locked");
    const { settings, clientSecretError } = await failing(thrown);
    expect(settings).toEqual({ clientId: "me", clientSecret: undefined });
    expect(clientSecretError).toMatchObject({
      code: "MCP_CONNECT_FAILED",
      message: expect.stringMatching(/"oauth\.clientSecret".*: the vault is locked$/),
      server: "files",
      phase: "resolve",
      cause: thrown,
    });
  });

  it.each([new McpError("MCP_ABORTED", "given up"), new Error("given up")])(
    "is thrown unchanged if the reading is aborted: %s",
    async (error) => {
      await expect(failing(error, true)).rejects.toBe(error);
    },
  );
});

describe("a variable as an OAuth setting of an entry", () => {
  it("is left out if it is empty and the host drops empty values", async () => {
    vi.stubEnv("SECRET_OF_MINE", "");
    const { settings } = await authorizationOf("crush", { clientId: "me", clientSecret: "$SECRET_OF_MINE" });
    expect(settings).toEqual({ clientId: "me" });
  });
});
