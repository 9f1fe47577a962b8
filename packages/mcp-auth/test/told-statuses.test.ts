import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { McpError } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, createOAuth, type OAuthOptions } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

const unusable = new McpError("MCP_STORAGE_FAILED", "The logins cannot be read.");
const unset = new McpError("MCP_CONFIG_VARIABLE_MISSING", "ID is not set.");

describe("the httpStatus of an unmet challenge", () => {
  it.each<[string, Partial<OAuthOptions>]>([
    [
      "the vault cannot be read",
      { vault: { ...createMemoryVault(), forServer: () => Promise.reject(unusable) } },
    ],
    ["a setting cannot be resolved", { settingsOf: () => Promise.reject(unset) }],
    ["a setting is invalid", { settingsOf: () => ({ settings: { callbackPort: 70_000 } }) }],
  ])("is the server's 401 when %s", async (_, oauth) => {
    await using scene = await openScene({ oauth });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: expect.stringMatching(/^MCP_(CONFIG|STORAGE)_/),
      httpStatus: 401,
    });
  });

  it.each<[string, RequestListener]>([
    [
      "is answered with a compressed body",
      (_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("<!doctype html>")),
    ],
    ["is answered with a redirect without a Location", (_, response) => response.writeHead(302).end()],
    ["is refused with 403", (_, response) => response.writeHead(403).end()],
  ])("is the server's 401 when the metadata request %s", async (_, answer) => {
    await using server = await startServer((request, response) => {
      if (request.url !== "/mcp") return void answer(request, response);
      const named = `Bearer resource_metadata="http://${request.headers.host}/metadata"`;
      response.writeHead(401, { "www-authenticate": named }).end();
    });
    await using oauth = createOAuth();
    const refused = { httpStatus: 401 };
    await expect(reach(oauth, remoteServer(`${server.origin}/mcp`))).rejects.toMatchObject(refused);
  });

  it("is that of an outage, or undefined without any response", async () => {
    const gate = { status: 503 };
    await using server = await startServer((request, response) => {
      if (request.url === "/mcp") response.writeHead(401).end();
      else if (gate.status === 0) request.socket.destroy();
      else response.writeHead(gate.status).end();
    });
    await using oauth = createOAuth();
    const remote = remoteServer(`${server.origin}/mcp`);
    for (gate.status of [503, 408, 425, 429]) {
      const outage = { code: "MCP_CONNECT_FAILED", httpStatus: gate.status };
      await expect(reach(oauth, remote)).rejects.toMatchObject(outage);
    }
    gate.status = 0;
    const silence = { code: "MCP_CONNECT_FAILED", httpStatus: undefined };
    await expect(reach(oauth, remote)).rejects.toMatchObject(silence);
  });

  it("is undefined if the caller aborts", async () => {
    await using scene = await openScene();
    const met = scene.oauth.onChallenge(scene.server, { status: 401 }, { signal: AbortSignal.abort() });
    await expect(met).rejects.toMatchObject({ code: "MCP_ABORTED", httpStatus: undefined });
  });
});
