import { describe, expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { ECHO, never, open } from "./remote.ts";

const MIB = 1024 * 1024;

describe.each(["json", "sse"] as const)("a message (%s)", (answer) => {
  test("[T82] [T84] larger than the limit is cut off, and the next call works", async () => {
    const { session } = await open(
      { answer, on: { "tools/call": { answerBytes: 300 * MIB, times: 1 } } },
      { limits: { maxMessageBytes: 4 * MIB } },
    );
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown" });
    expect(error.message).toContain("maxMessageBytes");
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test.each(["gzip", "deflate", "br"] as const)("compressed with %s is read", async (coding) => {
    const { session } = await open({
      answer,
      on: { "tools/call": { compress: [coding], answerBytes: 100_000 } },
    });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test.each(["gzip", "br"] as const)(
    "[T83] that decompresses from %s beyond the limit is cut off",
    async (coding) => {
      const { session } = await open(
        { answer, on: { "tools/call": { compress: [coding], answerBytes: 100 * MIB } } },
        { limits: { maxMessageBytes: MIB } },
      );
      const error = await failureOf(session.request("tools/call", ECHO));
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown" });
    },
  );

  test("[T83] compressed twice or with an unsupported encoding is refused", async () => {
    for (const fault of [
      { compress: ["gzip", "gzip"] as const },
      { contentEncoding: "zstd" },
      { contentEncoding: "gzip,gzip,gzip" },
    ]) {
      const { session } = await open({ answer, on: { "tools/call": fault } });
      expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_PROTOCOL_VIOLATED");
    }
  });

  test("falsely labelled as gzip leaves the outcome unknown", async () => {
    const { session } = await open({ answer, on: { "tools/call": { contentEncoding: "gzip" } } });
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ outcome: "unknown" });
  });

  test("[T85] with 1,030 tools in 2.2 MB is read", async () => {
    const description = "x".repeat(2100);
    const tools = Array.from({ length: 1030 }, (_, index) => ({
      name: `tool-${index}`,
      description,
      inputSchema: { type: "object" as const },
    }));
    const { session } = await open({ answer, tools });
    expect((await session.list("tools", { signal: never })).items).toHaveLength(1030);
  });
});

test("[T83] a 400 MB gzip bomb takes less than 64 MiB of memory", async () => {
  const { session } = await open({ on: { "tools/call": { compress: ["gzip"], answerBytes: 400 * MIB } } });
  const before = process.memoryUsage.rss();
  const error = await failureOf(session.request("tools/call", ECHO));
  expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown" });
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MIB);
});

describe("[T88] a server that keeps a request open", () => {
  test.each([
    ["never answers", { hang: true }],
    ["sends endless headers", { endlessHeaders: true }],
    ["sends single bytes slowly", { dripMs: 20, answerBytes: 100_000 }],
  ])("and %s fails the call at its deadline", async (_, fault) => {
    const { session } = await open({ on: { "tools/call": fault } });
    const error = await failureOf(session.request("tools/call", ECHO, { timeoutMs: 150 }));
    expect(error).toMatchObject({ code: "MCP_CALL_TIMEOUT", outcome: "unknown" });
  });

  test("during the handshake fails the connection at the connect deadline", async () => {
    const error = await failureOf(
      open({ on: { initialize: { hang: true } } }, { limits: { connectTimeoutMs: 150 } }),
    );
    expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
  });
});
