import type { ToolDefinition } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { findMirroredSecrets } from "../../src/protocol/mirrored-headers.ts";
import { ECHO, never, open } from "../http/remote.ts";

const marked = (header: string) => ({ type: "string", "x-mcp-header": header });
const toolWith = (properties: ToolDefinition["inputSchema"]["properties"]) => ({
  name: "echo",
  inputSchema: { type: "object" as const, properties },
});

describe("[T45] a parameter mirrored in a header", () => {
  test.each([
    "password",
    "userPassword",
    "API_KEY",
    "x-api-key",
    "apiKey",
    "accessToken",
    "client_secret",
    "sessionCookie",
    "private-key",
    "Authorization",
  ])("looks like a secret if it is named %s", (name) => {
    expect(findMirroredSecrets(toolWith({ [name]: marked("Region") }))).toEqual([name]);
    expect(findMirroredSecrets(toolWith({ plain: marked(name) }))).toEqual(["plain"]);
    expect(findMirroredSecrets(toolWith({ [name]: { type: "string" } }))).toEqual([]);
  });

  test.each(["region", "tokenizer", "monkey", "key", "primaryKey", "passage", "author", "shipping"])(
    "does not look like a secret if it is named %s",
    (name) => {
      expect(findMirroredSecrets(toolWith({ [name]: marked(name) }))).toEqual([]);
    },
  );

  test("is found in nested objects", () => {
    const login = { type: "object", properties: { user: marked("User"), password: marked("P") } };
    expect(findMirroredSecrets(toolWith({ login }))).toEqual(["login.password"]);
  });

  const secretive = toolWith({ password: marked("Pass"), region: marked("Region") });
  const call = { ...ECHO, arguments: { password: "hunter-123456", region: "eu" } };
  const warnings = (log: ReturnType<typeof vi.fn>) =>
    log.mock.calls.filter(([, , fields]) => fields?.parameters === "password");

  test("that looks like a secret causes one warning, and its value is never logged", async () => {
    const log = vi.fn();
    const { remote, session } = await open({ era: "modern", tools: [secretive] }, { log });
    const { items } = await session.list("tools", { signal: never });
    await session.list("tools", { signal: never });
    expect(warnings(log)).toEqual([["warn", expect.any(String), expect.objectContaining({ tool: "echo" })]]);
    await session.request("tools/call", call, { tool: items[0] });
    expect(warnings(log)).toHaveLength(1);
    const sent = remote.requests.find(({ body }) => body?.method === "tools/call");
    expect(sent?.headers).toMatchObject({ "mcp-param-pass": "hunter-123456", "mcp-param-region": "eu" });
    expect(JSON.stringify(log.mock.calls)).not.toContain("hunter-123456");
  });

  test("causes a warning when it is called, if its tool was never listed", async () => {
    const log = vi.fn();
    const { session } = await open({ era: "modern", tools: [secretive] }, { log });
    await session.request("tools/call", call, { tool: secretive });
    expect(warnings(log)).toHaveLength(1);
  });

  test("is not mirrored to a legacy server and causes no warning", async () => {
    const log = vi.fn();
    const { remote, session } = await open({ tools: [secretive] }, { log });
    await session.list("tools", { signal: never });
    await session.request("tools/call", call, { tool: secretive });
    expect(warnings(log)).toEqual([]);
    const sent = remote.requests.find(({ body }) => body?.method === "tools/call");
    expect(sent?.headers).not.toHaveProperty("mcp-param-pass");
  });
});
