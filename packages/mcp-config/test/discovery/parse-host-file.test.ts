import { describe, expect, it } from "vitest";
import { type ParseHostFileOptions, parseHostFile } from "../../src/index.ts";

const rejectionOf = (options: unknown) =>
  parseHostFile(options as ParseHostFileOptions).catch((error) => error);

describe("parseHostFile called from untyped code", () => {
  it.each([
    ["host", { file: "mcp.json" }],
    ["host", { host: 5, file: "mcp.json" }],
    ["file", { host: "cursor" }],
    ["file", { host: "cursor", text: "{}" }],
    ["file", { host: "cursor", file: 5 }],
    ["file", { host: "cursor", file: "" }],
    ["text", { host: "cursor", file: "mcp.json", text: 5 }],
    ["text", { host: "cursor", file: "mcp.json", text: null }],
    ["beneath", { host: "cursor", file: "mcp.json", beneath: 5 }],
    ["beneath", { host: "cursor", file: "mcp.json", beneath: [5] }],
    ["cwd", { host: "cursor", file: "mcp.json", cwd: 5 }],
    ["env", { host: "cursor", file: "mcp.json", env: null }],
    ["maxFileBytes", { host: "cursor", file: "mcp.json", maxFileBytes: "1" }],
    ["platform", { host: "cursor", file: "mcp.json", platform: 5 }],
  ])("rejects an invalid or missing %s: %j", async (option, options) => {
    expect(await rejectionOf(options)).toMatchObject({
      code: "MCP_CONFIG_INVALID",
      message: expect.stringContaining(`Option "${option}"`),
    });
  });

  it.each([undefined, null, 5])("rejects %j in place of the options", async (options) => {
    expect(await rejectionOf(options)).toMatchObject({ code: "MCP_CONFIG_INVALID" });
  });

  it("accepts optional options that are undefined", async () => {
    const options = { host: "cursor", file: "mcp.json", text: "{}", beneath: undefined, env: undefined };
    expect(await parseHostFile(options)).toMatchObject({ servers: [] });
  });
});
