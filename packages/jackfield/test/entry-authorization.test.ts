import { createServerResolver } from "@jackfield/mcp-config";
import type { OAuthSettings } from "@jackfield/mcp-core";
import { describe, expect, it, vi } from "vitest";
import { entryAuthorization } from "../src/entry-authorization.ts";
import { useTemporaryHome } from "./fixture.ts";

const home = useTemporaryHome();

/** What an entry of a host's file says of logins, with the commands of its values run. */
function authorizationOf(host: string, oauth: OAuthSettings) {
  const definedIn = { scope: "user", host, file: home.file("mcp.json"), pointer: "/files" } as const;
  const url = "https://files.example/mcp";
  const { signal } = new AbortController();
  return entryAuthorization(
    { name: "files", transport: "http", url, oauth, definedIn },
    createServerResolver({ runCommands: true }),
    signal,
  );
}

describe("a value of an entry's logins that is a command", () => {
  it("is what the command prints", async () => {
    const { settings } = await authorizationOf("omp", { clientId: "me", clientSecret: "!echo of-mine" });
    expect(settings).toEqual({ clientId: "me", clientSecret: "of-mine" });
  });

  it.each([
    ["omp", "!exit 1"],
    ["omp", "!true"],
  ])(
    "in %s is an error where %s prints nothing: what is written is no secret, and is not sent as one",
    async (host, clientSecret) => {
      await expect(authorizationOf(host, { clientId: "me", clientSecret })).rejects.toMatchObject({
        code: "MCP_CONFIG_INVALID",
        server: "files",
        phase: "resolve",
        message: expect.stringContaining("has no value for clientSecret: the command for it failed"),
      });
    },
  );
});

describe("a value of an entry's logins that is a variable", () => {
  it("and empty is not said where the host leaves such values out", async () => {
    vi.stubEnv("SECRET_OF_MINE", "");
    const { settings } = await authorizationOf("crush", { clientId: "me", clientSecret: "$SECRET_OF_MINE" });
    expect(settings).toEqual({ clientId: "me" });
  });
});
