import { describe, expect, test } from "vitest";
import { createServerResolver, type ServerResolverOptions } from "../../src/index.ts";
import { parse } from "../discovery/parsing.ts";

const signal = new AbortController().signal;
const ADDRESS = "https://host.example";

/** What a remote entry with these headers is sent with. */
async function headersSent(headers: object, options: ServerResolverOptions, host = "crush") {
  const key = host === "crush" ? "mcp" : "mcpServers";
  const entry = { type: "http", url: ADDRESS, headers };
  // No project has a file of this name.
  const { servers } = await parse({ [key]: { s: entry } }, { host, file: "/folder/own.json" });
  const resolved = await createServerResolver(options)(servers[0]?.definition as never, { signal });
  return "headers" in resolved ? resolved.headers : undefined;
}

describe("a header that turns out empty", () => {
  const env = { EMPTY: "", SET: "value" };

  test("is left out, be it empty as written, by a variable, or by one that is unset", async () => {
    const headers = { A: "$EMPTY", C: "", D: "${SET}", E: "${NOPE:-}", F: "${SET}${EMPTY}" };
    const sent = { D: "value", F: "value" };
    expect(await headersSent(headers, { env })).toEqual(sent);
    for (const missingVariable of ["host", "empty"] as const) {
      expect(await headersSent({ ...headers, B: "$NOPE" }, { env, missingVariable })).toEqual(sent);
    }
    await expect(headersSent({ B: "$NOPE" }, { env })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  });

  test("is sent empty where another host has it", async () => {
    expect(await headersSent({ A: "${EMPTY}", D: "${SET}" }, { env }, "omp")).toEqual({ A: "", D: "value" });
  });
});
