import type { ToolDefinition } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { findMirroredSecrets } from "../../src/session/mirrored-secrets.ts";
import { ECHO, never, open } from "../http/remote.ts";

const marked = (header: string) => ({ type: "string", "x-mcp-header": header });
const toolWith = (properties: ToolDefinition["inputSchema"]["properties"]) => ({
  name: "echo",
  inputSchema: { type: "object" as const, properties },
});

describe("[T45] a parameter that is repeated in a header", () => {
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
  ])("looks like a secret if it is called %s", (name) => {
    expect(findMirroredSecrets(toolWith({ [name]: marked("Region") }))).toEqual([name]);
    expect(findMirroredSecrets(toolWith({ plain: marked(name) }))).toEqual(["plain"]);
    expect(findMirroredSecrets(toolWith({ [name]: { type: "string" } }))).toEqual([]);
  });

  test.each(["region", "tokenizer", "monkey", "key", "primaryKey", "passage", "author", "shipping"])(
    "does not if it is called %s",
    (name) => {
      expect(findMirroredSecrets(toolWith({ [name]: marked(name) }))).toEqual([]);
    },
  );

  test("is found inside of objects", () => {
    const login = { type: "object", properties: { user: marked("User"), password: marked("P") } };
    expect(findMirroredSecrets(toolWith({ login }))).toEqual(["login.password"]);
  });

  const secretive = toolWith({ password: marked("Pass"), region: marked("Region") });
  const call = { ...ECHO, arguments: { password: "hunter-123456", region: "eu" } };
  const warnings = (log: ReturnType<typeof vi.fn>) =>
    log.mock.calls.filter(([, , fields]) => fields?.parameters === "password");

  test("and looks like a secret is warned of once when it is listed, and its value is in no log", async () => {
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

  test("is warned of before it is first sent, where the tool is known from elsewhere", async () => {
    const log = vi.fn();
    const { session } = await open({ era: "modern", tools: [secretive] }, { log });
    await session.request("tools/call", call, { tool: secretive });
    expect(warnings(log)).toHaveLength(1);
  });

  test("is no matter for a legacy server, which is sent no such headers", async () => {
    const log = vi.fn();
    const { remote, session } = await open({ tools: [secretive] }, { log });
    await session.list("tools", { signal: never });
    await session.request("tools/call", call, { tool: secretive });
    expect(warnings(log)).toEqual([]);
    const sent = remote.requests.find(({ body }) => body?.method === "tools/call");
    expect(sent?.headers).not.toHaveProperty("mcp-param-pass");
  });
});
