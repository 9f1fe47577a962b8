import { gzipSync } from "node:zlib";
import { useLeakCheck } from "@jackfield/test-kit";
import { expect, it } from "vitest";
import { startServer, type TestServer } from "./network/http-server.ts";
import { reach } from "./request.ts";
import { openScene, type Scene } from "./scene.ts";

useLeakCheck();

/** A login that may do less than is wanted now, where clients are registered at another endpoint since. */
async function openWanting(endpoint: TestServer): Promise<Scene> {
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
  ["never comes to an end", (_, response) => void response.end(Buffer.alloc(1_100_000))],
])("[A24] a step-up is made by the old client where the registration endpoint %s", async (_, answer) => {
  await using endpoint = await startServer(answer);
  await using scene = await openWanting(endpoint);
  expect(await reach(scene.oauth, scene.server)).toBe(200);
  expect(endpoint.received).toHaveLength(1);
  const clients = scene.authority.requestsTo("/authorize").map(({ parameters }) => parameters.client_id);
  expect(new Set(clients).size).toBe(1);
});

it("[A24] a step-up is not begun where nobody answers at the registration endpoint", async () => {
  await using endpoint = await startServer((request) => void request.socket.destroy());
  await using scene = await openWanting(endpoint);
  await expect(reach(scene.oauth, scene.server)).rejects.toMatchObject({ code: "MCP_CONNECT_FAILED" });
  expect(scene.pages).toHaveLength(1);
  expect(endpoint.received).toHaveLength(1);
});
