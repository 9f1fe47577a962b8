import type { ResolvedServer } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createFakeToolCache } from "../src/fake-tool-cache.ts";
import { toolCacheSuite } from "../src/suites/tool-cache-suite.ts";

toolCacheSuite("the fake", async () => {
  const cache = createFakeToolCache();
  return {
    cache,
    reopen: async () => createFakeToolCache({ entries: cache.entries }),
    dispose: () => cache.close(),
  };
});

const server: ResolvedServer = {
  name: "one",
  transport: "http",
  url: "http://127.0.0.1:9",
  headers: {},
  secrets: [],
};

test("a seeded entry is found under the server's identity, with its credentials", async () => {
  const cache = createFakeToolCache();
  const id = cache.seed(server, { tools: [] });
  const identity = await cache.identify(server);
  expect(identity.id).toBe(id);
  expect((await cache.getMany([id])).get(id)).toMatchObject({
    server: "one",
    credentials: identity.credentials,
    tools: [],
  });
});

test("a seeded entry belongs to its principal and can set any field", async () => {
  const cache = createFakeToolCache();
  const id = cache.seed(server, { listedAt: 1, credentials: "others", stale: true }, "alice");
  expect(id).toBe((await cache.identify(server, { principal: "alice" })).id);
  expect(id).not.toBe((await cache.identify(server)).id);
  expect(cache.entries.get(id)).toEqual({ server: "one", listedAt: 1, credentials: "others", stale: true });
});
