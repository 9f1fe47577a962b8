import { gzipSync } from "node:zlib";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { startServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene } from "./scene.ts";

useLeakCheck();

describe("a login for which a person was shown a page ends for good", () => {
  it.each<[string, Parameters<typeof startServer>[0]]>([
    ["breaks the connection", (request) => void request.socket.destroy()],
    [
      "compresses its answer",
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("{}")),
    ],
    ["is down", (_, response) => void response.writeHead(503).end()],
  ])("if the token endpoint %s: another attempt would show the next page", async (_, answer) => {
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

  it("if nobody is at the token endpoint any more, and tells what has happened", async () => {
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

it("an outage before anybody was shown a page may be tried again", async () => {
  await using endpoint = await startServer((request) => void request.socket.destroy());
  await using scene = await openScene({
    behavior: { metadata: { registration_endpoint: `${endpoint.origin}/register` } },
  });
  await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({
    code: "MCP_CONNECT_FAILED",
    httpStatus: undefined, // nobody has judged what was sent with the request
  });
  expect(scene.pages).toEqual([]);
});
