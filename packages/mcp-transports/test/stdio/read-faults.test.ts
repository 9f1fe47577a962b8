import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { gone } from "../processes.ts";
import { type Script, scriptedServer } from "../scripted-server.ts";

const NO_DEADLINE = { timeoutMs: 0, maxTotalMs: 0 };
const MEBIBYTE = 1024 * 1024;
const EVERY_WIDTH = "a é € 🙂 \u2028\u2029 \uFEFF \r\n e\u0301";
const call = (text: string) => ({ name: "echo", arguments: { text } });

/** Answers calls with their own text, written in pieces of the length given in the call. */
const inPieces: Script = (message, { process }) => {
  if (message.method !== "tools/call") return undefined;
  const { text, length } = message.params.arguments;
  const result = { content: [{ type: "text", text }] };
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
  const { writeSync } = process.getBuiltinModule("node:fs");
  let sent = 0;
  const writeNext = () => {
    if (sent >= bytes.length) return;
    try {
      sent += writeSync(1, bytes, sent, Math.min(length, bytes.length - sent));
    } catch {
      // The pipe is full: the next turn tries again.
    }
    setImmediate(writeNext);
  };
  writeNext();
  return true;
};

/** The text of the answer to a call, from a server with the given script. */
async function textAnswered(script: Script, options: Parameters<typeof connect>[1] = {}): Promise<unknown> {
  const session = await connect(scriptedServer(script), options);
  const { content } = await session.request("tools/call", call("hello"));
  return (content[0] as { readonly text: string }).text;
}

describe("messages in odd pieces", () => {
  test("[X16] characters of every width arrive whole in pieces of 1 to 3 bytes", async () => {
    const session = await connect(scriptedServer(inPieces));
    for (const length of [1, 2, 3]) {
      const { content } = await session.request("tools/call", {
        name: "echo",
        arguments: { text: EVERY_WIDTH, length },
      });
      expect(content).toEqual([{ type: "text", text: EVERY_WIDTH }]);
    }
  });

  test("[R17] a message of almost 16 MiB arrives whole in pieces of 4 KiB", async () => {
    const session = await connect(scriptedServer(inPieces));
    const text = "€".repeat((16 * MEBIBYTE - 1024) / 3);
    const { content } = await session.request(
      "tools/call",
      { name: "echo", arguments: { text, length: 4096 } },
      NO_DEADLINE,
    );
    expect((content[0] as { readonly text: string }).text === text).toBe(true);
  });

  test("[R16] several messages arrive in one chunk, with CRLF and a byte order mark", async () => {
    const notified = vi.fn();
    const server = scriptedServer((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      const lines = [
        { method: "vendor/first", params: { text: "\u2028" } },
        { id: message.id, result: { content: [] } },
        { method: "vendor/last" },
      ].map((entry) => JSON.stringify({ jsonrpc: "2.0", ...entry }));
      process.stdout.write(`\uFEFF${lines.join("\r\n\r\n")}\r\n`);
      return true;
    });
    const session = await connect(server);
    session.onNotification(({ method }) => notified(method));
    expect(await session.request("tools/call", call("a"))).toEqual({ content: [] });
    await session.request("ping", undefined);
    expect(notified.mock.calls).toEqual([["vendor/first"], ["vendor/last"]]);
  });

  test("[R18] the messages of a batch are read, and its other parts skipped", async () => {
    const text = await textAnswered((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      const result = { content: [{ type: "text", text: "from a batch" }] };
      const batch = [1, { jsonrpc: "2.0", method: "vendor/x" }, { jsonrpc: "2.0", id: message.id, result }];
      process.stdout.write(`${JSON.stringify(batch)}\n`);
      return true;
    });
    expect(text).toBe("from a batch");
  });
});

describe("output that is not a message", () => {
  test("[R15] thousands of lines of noise lose no message and log one warning", async () => {
    const log = vi.fn();
    const server = scriptedServer(
      (message, { process, answer }) => {
        if (message.method !== "tools/call") return undefined;
        const noise = ["Listening with key-123456", "", "{", "[]", '{"level":"info"}', "null", "\u0000"];
        process.stdout.write(`${Array.from({ length: 10_000 }, (_, n) => noise[n % 7]).join("\n")}\n`);
        process.stdout.write(Buffer.from([0xff, 0xfe, 0xc3, 0x0a]));
        answer({ content: [{ type: "text", text: "after the noise" }] });
        return true;
      },
      { secrets: ["key-123456"] },
    );
    const session = await connect(server, { log });
    for (let n = 0; n < 3; n += 1)
      expect(await session.request("tools/call", call("a"))).toMatchObject({
        content: [{ text: "after the noise" }],
      });
    expect(log.mock.calls.filter(([level]) => level === "warn")).toEqual([
      [
        "warn",
        expect.stringContaining("such lines are skipped"),
        { server: "scripted", line: "Listening with [redacted]" },
      ],
    ]);
  });

  test("[R18] malformed messages do not lose the valid one after them", async () => {
    const text = await textAnswered((message, { send, process, answer }) => {
      if (message.method !== "tools/call") return undefined;
      for (const odd of [
        {},
        { method: 1 },
        { method: null, id: {} },
        { result: 1 },
        { id: 1e300, result: {} },
      ])
        send(odd);
      process.stdout.write(
        '{"jsonrpc":"2.0","id":7,"result":{"__proto__":{"a":1}}}\n{"jsonrpc":"1.0","id":1}\n',
      );
      answer({ content: [{ type: "text", text: "good" }] });
      return true;
    });
    expect(text).toBe("good");
  });
});

describe("an oversized message", () => {
  test("[T82] an endless line fails the server's calls at the limit; other servers go on", async () => {
    const endless = scriptedServer((message, { process }) => {
      if (message.method !== "tools/call") return undefined;
      const piece = "x".repeat(65_536);
      const write = () => void process.stdout.write(piece, write);
      write();
      return true;
    });
    const slow = scriptedServer((message, { process, answer }) => {
      if (message.method !== "tools/call") return undefined;
      const { existsSync } = process.getBuiltinModule("node:fs");
      const pid = message.params.arguments.text;
      const timer = setInterval(() => {
        if (existsSync(`/proc/${pid}/exe`)) return;
        clearInterval(timer);
        answer({ content: [] });
      }, 20);
      return true;
    });
    const [bad, good] = await Promise.all([connect(endless), connect(slow)]);
    const before = process.memoryUsage().rss;
    const [pid] = endless.starts();
    const answered = good.request("tools/call", call(String(pid)), NO_DEADLINE);
    const failing = [1, 2].map(() => failureOf(bad.request("tools/call", call("a"), NO_DEADLINE)));
    for (const error of await Promise.all(failing)) {
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", outcome: "unknown", tool: "echo" });
      expect(error.message).toMatch(/more than 16777216 bytes.*Raise "maxMessageBytes" in its limits/);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(3 * 16 * MEBIBYTE);
    expect(await answered).toEqual({ content: [] });
    await gone(...endless.starts());
  });

  test("[T82] fails the connect with MCP_LIMIT_EXCEEDED if it answers server/discover", async () => {
    const server = scriptedServer(
      (message, { answer }) => {
        if (message.method === "server/discover") answer({ instructions: "x".repeat(20_000) });
        return true;
      },
      { limits: { maxMessageBytes: 10_000 } },
    );
    expect(await failToConnect(server)).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "handshake" });
    expect(server.starts()).toHaveLength(1);
  });

  test("[T85] a list of 1,030 tools in one message of 2 MiB is accepted", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list") return undefined;
      const description = "x".repeat(2000);
      const tools = Array.from({ length: 1030 }, (_, n) => ({
        name: `tool-${n}`,
        description,
        inputSchema: { type: "object" },
      }));
      answer({ tools });
      return true;
    });
    const { items } = await (await connect(server)).list("tools", { signal: new AbortController().signal });
    expect(items).toHaveLength(1030);
  });
});

describe("standard error", () => {
  const flooding = (amount: number): Script => {
    const source = `(message, { process, answer }) => {
      if (message.method === "ping") process.exit(1);
      if (message.method !== "tools/call") return undefined;
      const line = "key-123456 ".repeat(9) + "\\n";
      const piece = line.repeat(10_000);
      let left = ${amount};
      const write = () => {
        if (left <= 0) return answer({ content: [] });
        left -= piece.length;
        process.stderr.write(piece, write);
      };
      write();
      return true;
    }`;
    return Object.assign(() => true, { toString: () => source }) as Script;
  };

  test("[R14] a flood of 144 MiB neither blocks the server nor fills the memory", async () => {
    const server = scriptedServer(flooding(144 * MEBIBYTE), { secrets: ["key-123456"] });
    const session = await connect(server);
    const before = process.memoryUsage().rss;
    expect(await session.request("tools/call", call("a"), NO_DEADLINE)).toEqual({ content: [] });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MEBIBYTE);
    const closed = new Promise((resolve) => session.onClose(resolve));
    await failureOf(session.request("ping", undefined));
    const { stderr } = (await closed) as { stderr: string };
    expect(stderr.length).toBeGreaterThan(4096);
    expect(stderr.length).toBeLessThanOrEqual(8192);
    expect(stderr).toMatch(/^[[\]a-z \n]+$/);
  });
});
