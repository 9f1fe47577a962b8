import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { isMcpError, McpError } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createMemoryVault, createOAuth, type OAuthOptions } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

const visit = async (url: URL) => void (await fetch(url));

/** A scene with a login whose token the server no longer accepts. */
async function openExpired(): Promise<Scene> {
  const scene = await openScene({ isUnattended: true });
  await scene.oauth.login(scene.server, { authorize: visit });
  await scene.oauth.headers(scene.server);
  scene.authority.office.expireAccessTokens();
  return scene;
}

describe("the error of a challenge belongs to the handshake, so nobody repeats a request because of its status", () => {
  const unreadable = new McpError("MCP_SESSION_LOST", "The key store is gone.", { outcome: "not-sent" });
  const busy = new McpError("MCP_CONNECT_FAILED", "The key store is busy.", {
    httpStatus: 429,
    phase: "call",
  });
  const unset = new McpError("MCP_CONFIG_VARIABLE_MISSING", "ID is not set.", { phase: "resolve" });
  const vaultThat = (forServer: () => Promise<never>) => ({ vault: { ...createMemoryVault(), forServer } });

  it.each<[string, Partial<OAuthOptions>]>([
    ["nobody has logged in", { authorize: undefined }],
    ["the page cannot be shown", { authorize: () => Promise.reject(new Error("no screen")) }],
    ["the vault is lost", vaultThat(() => Promise.reject(unreadable))],
    ["the vault is busy", vaultThat(() => Promise.reject(busy))],
    ["a setting cannot be had", { settingsOf: () => Promise.reject(unset) }],
    ["the settings throw what is no McpError", { settingsOf: () => Promise.reject(new Error("locked")) }],
    ["a setting is wrong", { settingsOf: () => ({ settings: { callbackPort: 70_000 } }) }],
  ])("where %s", async (_, oauth) => {
    await using scene = await openScene({ oauth });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      name: "McpError",
      phase: "handshake",
    });
  });

  it.each<[string, RequestListener]>([
    ["is not answered", (request) => request.socket.destroy()],
    ["is answered with 503", (_, response) => response.writeHead(503).end()],
    [
      "is answered with what is compressed",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    ["is answered without end", (_, response) => response.writeHead(200).end("x".repeat(2 ** 21))],
    [
      "leads to itself for ever",
      (request, response) => response.writeHead(302, { location: request.url }).end(),
    ],
  ])("where metadata %s", async (_, answer) => {
    await using server = await startServer((request, response) => {
      if (request.url === "/mcp") response.writeHead(401).end();
      else void answer(request, response);
    });
    await using oauth = createOAuth();
    const unmet = reach(oauth, remoteServer(`${server.origin}/mcp`));
    await expect(unmet).rejects.toMatchObject({ name: "McpError", phase: "handshake" });
  });

  it.each<[string, RequestListener]>([
    ["does not answer", (request) => request.socket.destroy()],
    ["is busy", (_, response) => response.writeHead(429).end()],
    [
      "compresses what it says of its trouble",
      (_, response) => response.writeHead(503, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    [
      "gives a token of another kind",
      (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ access_token: "at", token_type: "mac" })),
    ],
  ])("where the token endpoint %s", async (_, answer) => {
    await using office = await startServer((request, response) => void answer(request, response));
    await using scene = await openExpired();
    scene.authority.behave({ metadata: { token_endpoint: `${office.origin}/token` } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      name: "McpError",
      phase: "handshake",
    });
  });

  it("where a server wants more than nobody can be asked for", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: visit });
    await scene.oauth.headers(scene.server);
    const wwwAuthenticate = 'Bearer error="insufficient_scope", scope="admin"';
    const { signal } = new AbortController();
    const unmet = scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, signal);
    await expect(unmet).rejects.toMatchObject({ phase: "handshake", httpStatus: 403 });
  });

  it("where the challenge is given up", async () => {
    await using scene = await openScene();
    const unmet = scene.oauth.onChallenge(scene.server, { status: 401 }, AbortSignal.abort());
    await expect(unmet).rejects.toMatchObject({ code: "MCP_ABORTED", phase: "handshake" });
  });
});

it("what a vault throws that is no McpError is told as a failure that may be tried again", async () => {
  const cause = new Error("the key store\nis locked");
  const forServer = () => Promise.reject(cause);
  await using scene = await openScene({ oauth: { vault: { ...createMemoryVault(), forServer } } });
  const error = await reach(scene.oauth, scene.server).catch((thrown: unknown) => thrown);
  expect(isMcpError(error, "MCP_CONNECT_FAILED")).toBe(true);
  expect(error).toMatchObject({ server: "files", outcome: "rejected", httpStatus: undefined, cause });
  expect(String(error)).toContain("the key store is locked");
});
