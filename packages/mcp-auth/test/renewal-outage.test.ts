import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { createOAuth } from "../src/index.ts";
import { startServer } from "./network/http-server.ts";
import { reach, remoteServer } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

describe("a refresh request refused during an outage", () => {
  it.each([
    [503, "invalid_client"],
    [500, "invalid_grant"],
    [429, "unauthorized_client"],
  ])("[A14] with status %d and %s keeps the refresh token for later", async (status, error) => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    await scene.oauth.headers(scene.server);
    scene.authority.office.expireAccessTokens();
    scene.authority.behave({ tokens: () => ({ status, body: { error } }) });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_CONNECT_FAILED",
      httpStatus: status, // the outage's own, not the 401 of the MCP server
      message: expect.stringContaining("Try again later."),
    });
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });

  it("[A14] with 400 temporarily_unavailable keeps the refresh token and sets no httpStatus", async () => {
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    await scene.oauth.headers(scene.server);
    scene.authority.office.expireAccessTokens();
    scene.authority.behave({ tokens: () => ({ status: 400, body: { error: "temporarily_unavailable" } }) });
    const trouble = { code: "MCP_CONNECT_FAILED", httpStatus: undefined };
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(trouble);
    scene.authority.behave({});
    expect(await reach(scene.oauth, scene.server)).toBe(200);
  });
});

describe("Retry-After", () => {
  // However long an authorization server asks for, its MCP server is not put away for longer than five minutes.
  it.each([
    ["60", 60_000],
    ["300", 300_000],
    ["301", 300_000],
    ["3600", 300_000],
    [new Date(Date.now() + 86_400_000).toUTCString(), 300_000],
  ])("from the token endpoint is honoured, up to five minutes: %s", async (header, retryAfterMs) => {
    await using busy = await startServer((_, response) => {
      response.writeHead(429, { "retry-after": header }).end();
    });
    await using scene = await openScene({ isUnattended: true });
    await scene.oauth.login(scene.server, { authorize: async (url) => void (await fetch(url)) });
    await scene.oauth.headers(scene.server);
    scene.authority.office.expireAccessTokens();
    scene.authority.behave({ metadata: { token_endpoint: `${busy.origin}/token` } });
    const asked = { code: "MCP_CONNECT_FAILED", httpStatus: 429, retryAfterMs };
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject(asked);
    expect(busy.received).toHaveLength(1);
  });

  it.each([
    ["60", 60_000],
    ["3600", 300_000],
  ])("from the metadata endpoint is honoured, up to five minutes: %s", async (header, retryAfterMs) => {
    await using busy = await startServer((request, response) => {
      if (request.url === "/mcp") response.writeHead(401).end();
      else response.writeHead(429, { "retry-after": header }).end();
    });
    await using oauth = createOAuth();
    const asked = { code: "MCP_CONNECT_FAILED", httpStatus: 429, retryAfterMs };
    await expect(reach(oauth, remoteServer(`${busy.origin}/mcp`))).rejects.toMatchObject(asked);
  });
});
