import { gzipSync } from "node:zlib";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { startServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

describe("after its page was shown, a login fails with MCP_AUTH_REQUIRED", () => {
  it.each<[string, Parameters<typeof startServer>[0]]>([
    ["breaks the connection", (request) => void request.socket.destroy()],
    [
      "compresses its answer",
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    ["answers 503", (_, response) => void response.writeHead(503).end()],
  ])("if the token endpoint %s", async (_, answer) => {
    await using endpoint = await startServer(answer);
    await using scene = await openScene({
      behavior: { metadata: { token_endpoint: `${endpoint.origin}/token` } },
    });
    for (const begin of [() => reach(scene.oauth, scene.server), () => scene.oauth.login(scene.server)])
      await expect(begin()).rejects.toMatchObject({
        code: "MCP_AUTH_REQUIRED",
        server: "files",
        outcome: "rejected",
      });
    expect(endpoint.received).toHaveLength(2);
  });

  it("if nothing listens at the token endpoint, and names the cause", async () => {
    const gone = await startServer(() => {});
    await gone[Symbol.asyncDispose]();
    await using scene = await openScene({
      behavior: { metadata: { token_endpoint: `${gone.origin}/token` } },
    });
    await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      httpStatus: 401,
      message: expect.stringMatching(/ECONNREFUSED.* Log in again\.$/),
      cause: { code: "MCP_CONNECT_FAILED" },
    });
  });
});

it("an outage before a page was shown fails with MCP_CONNECT_FAILED", async () => {
  await using endpoint = await startServer((request) => void request.socket.destroy());
  await using scene = await openScene({
    behavior: { metadata: { registration_endpoint: `${endpoint.origin}/register` } },
  });
  await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
    httpStatus: undefined, // no response, so no status
  });
  expect(scene.pages).toEqual([]);
});
