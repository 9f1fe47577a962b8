import type { ServerDefinition } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { passThroughResolver } from "../src/pass-through-resolver.ts";
import { httpDefinition, stdioDefinition } from "../src/sample-definition.ts";

const signal = new AbortController().signal;

test("a stdio definition resolves without expanding its variables", async () => {
  const definition = stdioDefinition("files", {
    command: "node",
    args: ["x"],
    env: { KEY: "${KEY}" },
    limits: { connectTimeoutMs: 1 },
  });
  expect(definition.definedIn.scope).toBe("explicit");
  expect(await passThroughResolver(definition, { signal })).toEqual({
    name: "files",
    transport: "stdio",
    command: "node",
    args: ["x"],
    env: { KEY: "${KEY}" },
    limits: { connectTimeoutMs: 1 },
    secrets: [],
  });
});

test("an HTTP definition resolves to its URL and headers", async () => {
  const definition = httpDefinition("web", { url: "http://127.0.0.1:1/mcp", headers: { A: "b" } });
  expect(await passThroughResolver(definition, { signal })).toEqual({
    name: "web",
    transport: "http",
    url: "http://127.0.0.1:1/mcp",
    headers: { A: "b" },
    secrets: [],
  });
});

test("an in-process definition keeps its server", async () => {
  const server = { connect: async () => {} };
  const definition: ServerDefinition = {
    name: "here",
    transport: "in-process",
    server,
    definedIn: { scope: "explicit" },
  };
  expect(await passThroughResolver(definition, { signal })).toMatchObject({
    transport: "in-process",
    server,
  });
});

test("an aborted signal rejects with MCP_ABORTED", async () => {
  const aborted = { signal: AbortSignal.abort() };
  await expect(passThroughResolver(httpDefinition("web"), aborted)).rejects.toMatchObject({
    code: "MCP_ABORTED",
  });
});
