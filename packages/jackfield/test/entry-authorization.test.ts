import { mkdirSync, writeFileSync } from "node:fs";
import { createServerResolver } from "@jackfield/mcp-config";
import type { DefinedIn, OAuthSettings } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { entryAuthorization } from "../src/entry-authorization.ts";
import { useTemporaryHome } from "./fixture.ts";

const home = useTemporaryHome();

/** What an entry of a host's file says of logins, with the commands of its values run. */
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

describe("a value of an entry's logins that is a command", () => {
  it("is what the command prints", async () => {
    const { settings } = await authorizationOf("omp", { clientId: "me", clientSecret: "!echo of-mine" });
    expect(settings).toEqual({ clientId: "me", clientSecret: "of-mine" });
  });

  it("runs in the folder of the file that wrote it, where several were joined", async () => {
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

  it.each(FAILING)(
    "in %s is an error where %s prints nothing: what is written is no client",
    async (host, clientId) => {
      await expect(authorizationOf(host, { clientId })).rejects.toMatchObject(withoutValue("clientId"));
    },
  );

  it.each(FAILING)(
    "in %s, and is the secret, is an error for whoever needs it where %s prints nothing, and what is written is not sent",
    async (host, clientSecret) => {
      const { settings, ...rest } = await authorizationOf(host, { clientId: "!echo me", clientSecret });
      expect(settings).toEqual({ clientId: host === "omp" ? "me" : "!echo me", clientSecret: undefined });
      expect(rest).toEqual({
        scope: "user",
        clientSecretError: expect.objectContaining(withoutValue("clientSecret")),
      });
    },
  );

  it("and the secret, is an error for whoever needs it where commands are not run", async () => {
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

describe("a value of an entry's logins that is a variable", () => {
  it("and empty is not said where the host leaves such values out", async () => {
    vi.stubEnv("SECRET_OF_MINE", "");
    const { settings } = await authorizationOf("crush", { clientId: "me", clientSecret: "$SECRET_OF_MINE" });
    expect(settings).toEqual({ clientId: "me" });
  });
});
