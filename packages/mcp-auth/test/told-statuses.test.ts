import { McpError } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, type OAuthOptions } from "../src/index.ts";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const unusable = new McpError("MCP_CONFIG_INVALID", "The logins cannot be read.");
const unset = new McpError("MCP_CONFIG_VARIABLE_MISSING", "ID is not set.");

describe("what keeps a challenge from being met", () => {
  it.each<[string, Partial<OAuthOptions>]>([
    [
      "the vault cannot be read",
      { vault: { ...createMemoryVault(), forServer: () => Promise.reject(unusable) } },
    ],
    ["a setting cannot be had", { settingsOf: () => Promise.reject(unset) }],
    ["a setting is wrong", { settingsOf: () => ({ settings: { callbackPort: 70_000 } }) }],
  ])("is told with the status of the server's refusal where %s", async (_, oauth) => {
    await using scene = await openScene({ oauth });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: expect.stringMatching(/^MCP_CONFIG_/),
      httpStatus: 401,
    });
  });

  it("has no status if the challenge was given up: nobody has judged what was sent", async () => {
    await using scene = await openScene();
    const met = scene.oauth.onChallenge(scene.server, { status: 401 }, AbortSignal.abort());
    await expect(met).rejects.toMatchObject({ code: "MCP_ABORTED", httpStatus: undefined });
  });
});
