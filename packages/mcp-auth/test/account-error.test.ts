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

describe("an unmet challenge fails in the handshake phase", () => {
  const unreadable = new McpError("MCP_SESSION_LOST", "The key store is gone.", { outcome: "not-sent" });
  const busy = new McpError("MCP_CONNECT_FAILED", "The key store is busy.", {
    httpStatus: 429,
    phase: "call",
  });
  const unset = new McpError("MCP_CONFIG_VARIABLE_MISSING", "ID is not set.", { phase: "resolve" });
  const vaultThat = (forServer: () => Promise<never>) => ({ vault: { ...createMemoryVault(), forServer } });

  it.each<[string, Partial<OAuthOptions>]>([
    ["nobody has logged in", { authorize: undefined }],
    ["the login page cannot be shown", { authorize: () => Promise.reject(new Error("no screen")) }],
    ["the vault throws MCP_SESSION_LOST", vaultThat(() => Promise.reject(unreadable))],
    ["the vault throws an error with status 429", vaultThat(() => Promise.reject(busy))],
    ["a setting cannot be resolved", { settingsOf: () => Promise.reject(unset) }],
    ["settingsOf throws a plain Error", { settingsOf: () => Promise.reject(new Error("locked")) }],
    ["a setting is invalid", { settingsOf: () => ({ settings: { callbackPort: 70_000 } }) }],
  ])("when %s", async (_, oauth) => {
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
      "is answered with a compressed body",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    ["is answered with an oversized body", (_, response) => response.writeHead(200).end("x".repeat(2 ** 21))],
    [
      "is redirected to itself forever",
      (request, response) => response.writeHead(302, { location: request.url }).end(),
    ],
  ])("when a metadata request %s", async (_, answer) => {
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
    ["answers 429", (_, response) => response.writeHead(429).end()],
    [
      "answers 503 with a compressed body",
      (_, response) => response.writeHead(503, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    [
      "returns a token of type mac",
      (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ access_token: "at", token_type: "mac" })),
    ],
  ])("when the token endpoint %s", async (_, answer) => {
    await using office = await startServer((request, response) => void answer(request, response));
    await using scene = await openExpired();
    scene.authority.behave({ metadata: { token_endpoint: `${office.origin}/token` } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      name: "McpError",
      phase: "handshake",
    });
  });

  it("when more scopes are needed and nobody can be asked", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: visit });
    await scene.oauth.headers(scene.server);
    const wwwAuthenticate = 'Bearer error="insufficient_scope", scope="admin"';
    const { signal } = new AbortController();
    const unmet = scene.oauth.onChallenge(scene.server, { status: 403, wwwAuthenticate }, { signal });
    await expect(unmet).rejects.toMatchObject({ phase: "handshake", httpStatus: 403 });
  });

  it("when the caller aborts", async () => {
    await using scene = await openScene();
    const unmet = scene.oauth.onChallenge(scene.server, { status: 401 }, { signal: AbortSignal.abort() });
    await expect(unmet).rejects.toMatchObject({ code: "MCP_ABORTED", phase: "handshake" });
  });
});

describe("[R21] the error of an unmet challenge", () => {
  it.each<[string, RequestListener]>([
    ["is not answered", (request) => request.socket.destroy()],
    [
      "is compressed",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
  ])("has the outcome rejected when the metadata %s", async (_, answer) => {
    await using server = await startServer((request, response) => {
      if (request.url === "/mcp") response.writeHead(401).end();
      else void answer(request, response);
    });
    await using oauth = createOAuth();
    const unmet = reach(oauth, remoteServer(`${server.origin}/mcp`));
    await expect(unmet).rejects.toMatchObject({ name: "McpError", outcome: "rejected" });
  });

  it("has the outcome rejected when the person declines", async () => {
    await using scene = await openScene({ behavior: { callback: { code: null, error: "access_denied" } } });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      outcome: "rejected",
    });
  });

  it("keeps the outcome of an McpError from the vault", async () => {
    const unsent = new McpError("MCP_SESSION_LOST", "The key store is gone.", { outcome: "not-sent" });
    const forServer = () => Promise.reject(unsent);
    await using scene = await openScene({ oauth: { vault: { ...createMemoryVault(), forServer } } });
    const { signal } = new AbortController();
    const unmet = scene.oauth.onChallenge(scene.server, { status: 401 }, { signal });
    await expect(unmet).rejects.toMatchObject({ outcome: "not-sent" });
  });
});

it("a plain Error from the vault becomes MCP_CONNECT_FAILED with its text", async () => {
  const cause = new Error("the key store\nis locked");
  const forServer = () => Promise.reject(cause);
  await using scene = await openScene({ oauth: { vault: { ...createMemoryVault(), forServer } } });
  const error = await reach(scene.oauth, scene.server).catch((thrown: unknown) => thrown);
  expect(isMcpError(error, "MCP_CONNECT_FAILED")).toBe(true);
  expect(error).toMatchObject({ server: "files", outcome: "rejected", httpStatus: undefined, cause });
  expect(String(error)).toContain("the key store is locked");
});
