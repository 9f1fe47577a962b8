import { describe, expect, test } from "vitest";
import { formatLock, lockOf, parseLock } from "../../src/lock/mcp-lock.ts";
import { offeredTool } from "../tool-fixture.ts";
import { locked } from "./lock-fixture.ts";

const text = formatLock(lockOf(locked()));

function refusal(changed: string): unknown {
  try {
    return parseLock(changed, { file: "project/mcp.lock" });
  } catch (error) {
    return error;
  }
}

/** The line, counted from 1, in which a piece of the text first occurs. */
function lineOf(piece: string): number {
  return text.slice(0, text.indexOf(piece)).split("\n").length;
}

describe("a lock file", () => {
  test("is sorted, holds digests, pinned fields and versions, and ends with a newline", () => {
    const lock = JSON.parse(text);
    expect(Object.keys(lock.servers)).toEqual(["files", "web"]);
    expect(Object.keys(lock.servers.files.tools)).toEqual(["read_file", "write_file"]);
    expect(lock.servers.files.version).toEqual({ name: "files-server", version: "1.0.0" });
    expect(lock.servers.files.tools.read_file).toEqual({
      name: "read_file",
      description: "Reads",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(text).toMatch(/\}\n$/);
  });

  test("has the same bytes whatever the order of servers, tools and members", () => {
    const { servers, tools } = locked();
    const turned = tools.map((tool) => {
      const entries = Object.entries(tool.definition).reverse();
      return { ...tool, definition: Object.fromEntries(entries) as typeof tool.definition };
    });
    expect(formatLock(lockOf({ servers: [...servers].reverse(), tools: turned.reverse() }))).toBe(text);
    expect(formatLock(parseLock(text))).toBe(text);
  });

  test("leaves out a server that has not listed its tools in this run", () => {
    const servers = [{ name: "files", toolsFrom: "cache" as const }];
    expect(lockOf({ servers, tools: [offeredTool()] }).servers.size).toBe(0);
  });

  test("keeps a server called __proto__ and a tool called constructor", () => {
    const servers = [{ name: "__proto__", toolsFrom: "live" as const }];
    const lock = lockOf({ servers, tools: [offeredTool({ name: "constructor" }, "__proto__")] });
    expect([...(parseLock(formatLock(lock)).servers.get("__proto__")?.tools.keys() ?? [])]).toEqual([
      "constructor",
    ]);
  });

  test("that is not JSON is refused with the line of the error", () => {
    const conflict = text.replace('"read_file"', '<<<<<<< ours\n"read_file"');
    const error = refusal(conflict);
    const line = conflict.slice(0, conflict.indexOf("<<<")).split("\n").length;
    expect(error).toMatchObject({ code: "MCP_CONFIG_INVALID", location: { file: "project/mcp.lock", line } });
    expect((error as Error).message).toContain(`project/mcp.lock:${line} is not JSON: `);
    expect((error as Error).message).not.toContain("SyntaxError");
    expect(refusal(text.slice(0, -20))).toMatchObject({ location: { line: text.split("\n").length - 4 } });
  });

  test("with a hand-edited description is refused at its tool", () => {
    expect(refusal(text.replace("Reads", "Reads ~/.ssh"))).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      location: { line: lineOf('"read_file": {'), pointer: "/servers/files/tools/read_file" },
    });
  });

  test.each([
    ["[]", "not a JSON object"],
    ["{}", "lockVersion"],
    ['{"lockVersion":2,"servers":{}}', "lockVersion"],
    ['{"lockVersion":1}', "servers"],
    ['{"lockVersion":1,"servers":{"a":7}}', 'server "a"'],
    ['{"lockVersion":1,"servers":{"a":{}}}', 'server "a"'],
    ['{"lockVersion":1,"servers":{"a":{"version":1,"tools":{}}}}', "version"],
    ['{"lockVersion":1,"servers":{"a":{"version":{"name":"x"},"tools":{}}}}', "version"],
    ['{"lockVersion":1,"servers":{"a":{"tools":{"t":{}}}}}', 'tool "t"'],
    ['{"lockVersion":1,"servers":{"a":{"tools":{"t":{"name":"u","inputSchema":{}}}}}}', 'tool "t"'],
    ['{"lockVersion":1,"servers":{"a":{"tools":{"t":{"name":"t","inputSchema":{}}}}}}', "digest"],
  ])("that holds %s is refused", (wrong, reason) => {
    expect(refusal(wrong)).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(reason),
    });
  });
});
