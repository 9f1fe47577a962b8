import { McpError } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { createMcpManager, type McpManagerOptions } from "../src/index.ts";

const never = () => Promise.reject(new McpError("MCP_SERVER_EXITED", "unused"));
const base: McpManagerOptions = { servers: [], connect: never, resolve: never };
const refusal = (text: string) =>
  expect.objectContaining({ code: "MCP_CONFIG_INVALID", message: expect.stringContaining(text) });

describe("manager options of the wrong type", () => {
  it.each([undefined, null, 5])("are refused if not an object: %j", (options) => {
    expect(() => createMcpManager(options as never)).toThrow(refusal("must be an object"));
  });

  it.each([
    ["servers", undefined],
    ["servers", 5],
    ["servers", "files"],
    ["connect", undefined],
    ["connect", {}],
    ["resolve", undefined],
    ["resolve", 5],
    ["cache", 5],
    ["startup", null],
    ["startup", 5],
    ["retry", null],
    ["limits", null],
    ["naming", "tool"],
    ["use", 5],
    ["use", [5]],
    ["toolPolicies", {}],
    ["handlers", 5],
    ["auth", 5],
    ["retry", { heartbeat: false }],
    ["log", {}],
  ])("are refused with their name: %s = %j", (option, value) => {
    const options = { ...base, [option]: value } as unknown as McpManagerOptions;
    expect(() => createMcpManager(options)).toThrow(refusal(`"${option}`));
  });

  it.each([[[null]], [[5]], [[[]]]])("are refused as servers, also by reload(): %j", async (servers) => {
    const wrong = servers as unknown as McpManagerOptions["servers"];
    expect(() => createMcpManager({ ...base, servers: wrong })).toThrow(refusal("A server must be"));
    const manager = createMcpManager(base);
    await expect(manager.reload(wrong)).rejects.toEqual(refusal("A server must be"));
    await expect(manager.reload(undefined as never)).rejects.toEqual(refusal('"servers"'));
  });

  it.each([[null], [[]]])("are refused as the limits of a server: %j", async (limits) => {
    const servers = [{ name: "a", limits }] as unknown as McpManagerOptions["servers"];
    const said = refusal('Option "limits" of server "a" must be an object, not ');
    expect(() => createMcpManager({ ...base, servers })).toThrow(said);
    await expect(createMcpManager(base).reload(servers)).rejects.toEqual(said);
  });

  it("do not include iterables: reload() accepts the values of a map", async () => {
    await using manager = createMcpManager(base);
    expect(await manager.reload(new Map().values())).toMatchObject({ added: [] });
  });
});
