import { gzipSync } from "node:zlib";
import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { startServer, type TestServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

/** A login that lacks a scope, with clients now registered at another endpoint. */
async function openWithMissingScope(endpoint: TestServer): Promise<Scene> {
  const scene = await openScene({ guard: { scope: "read" } });
  await reach(scene.oauth, scene.server);
  scene.guard({ scope: "write" });
  scene.authority.behave({ metadata: { registration_endpoint: `${endpoint.origin}/register` } });
  return scene;
}

it.each<[string, Parameters<typeof startServer>[0]]>([
  ["redirects", (_, response) => void response.writeHead(302, { location: "/sign-in" }).end()],
  [
    "compresses its answer",
    (_, response) => void response.writeHead(201, { "content-encoding": "gzip" }).end(gzipSync("{}")),
  ],
  ["sends an oversized body", (_, response) => void response.end(Buffer.alloc(1_100_000))],
])("[A24] a step-up uses the old client when the registration endpoint %s", async (_, answer) => {
  await using endpoint = await startServer(answer);
  await using scene = await openWithMissingScope(endpoint);
  expect(await reach(scene.oauth, scene.server)).toBe(200);
  expect(endpoint.received).toHaveLength(1);
  const clients = scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.client_id);
  expect(new Set(clients).size).toBe(1);
});

it("[A24] a step-up fails before a page when the registration endpoint does not answer", async () => {
  await using endpoint = await startServer((request) => void request.socket.destroy());
  await using scene = await openWithMissingScope(endpoint);
  await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
  expect(scene.pages).toHaveLength(1);
  expect(endpoint.received).toHaveLength(1);
});
