import { describe, expect, test, vi } from "vitest";
import { connect, failToConnect, failureOf } from "../connecting.ts";
import { expectGone, gone } from "../processes.ts";
import { received, type Script, scriptedServer } from "../scripted-server.ts";

const call = (how: string) => ({ name: "echo", arguments: { how } });

/** Answers a call with the line that it names. */
const inOddLines: Script = (message, { process, send }) => {
  if (message.method !== "tools/call") return undefined;
  const { id } = message;
  const good = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ran" }] } });
  const news = JSON.stringify({ jsonrpc: "2.0", method: "notifications/vendor", params: { braces: '}{"' } });
  const lines: Record<string, string> = {
    NaN: `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"mean":NaN}}}`,
    "NaN before the id": `{"result":{"content":[],"structuredContent":{"id":NaN}},"jsonrpc":"2.0","id":${id}}`,
    "a raw line break": `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"one\ntwo"}]}}`,
    "a raw tab": `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"one\ttwo"}]}}`,
    "a log line before": `INFO done key-123456 ${good}`,
    "a log line after": `${good} took 3 ms`,
    Python: `{'jsonrpc': '2.0', 'id': ${id}, 'result': {'content': []}}`,
    "two messages": news + good,
    "three messages": `${news} ${good}${news}`,
    "a log line in the middle": `${good.slice(0, 20)}DEBUG query key-123456\n${good.slice(20)}`,
    "an id of another message": `{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":NaN}`,
  };
  if (message.params.arguments.how === "nothing") return true;
  if (message.params.arguments.how === "long")
    return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":NaN${" ".repeat(100_000)}}\n`) || true;
  process.stdout.write(`${lines[message.params.arguments.how]}\n`);
  if (message.params.arguments.how === "an id of another message")
    setTimeout(() => send(JSON.parse(good)), 50);
  return true;
};

describe.concurrent("an answer on standard output that is no JSON", () => {
  test.each([
    "NaN",
    "NaN before the id",
    "a raw line break",
    "a raw tab",
    "a log line before",
    "a log line after",
    "Python",
  ])("fails its call at once, with the line: %s", async (how) => {
    const session = await connect(scriptedServer(inOddLines, { secrets: ["key-123456"] }));
    const error = await failureOf(session.request("tools/call", call(how), { timeoutMs: 0, maxTotalMs: 0 }));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", outcome: "unknown" });
    expect(error.message).toContain("its answer is not valid JSON: ");
    expect(error.message).toMatch(/jsonrpc|INFO done \[redacted\]/);
    expect(error.message).not.toContain("key-123456");
    expect((await session.request("tools/call", call("two messages"))).content).toHaveLength(1);
  });

  test("is not kept in the error if it is long", async () => {
    const session = await connect(scriptedServer(inOddLines));
    const error = await failureOf(
      session.request("tools/call", call("long"), { timeoutMs: 0, maxTotalMs: 0 }),
    );
    expect(error.code).toBe("MCP_PROTOCOL_VIOLATED");
    expect(String((error.cause as Error).message).length).toBeLessThan(1_000);
  });

  test.each(["two messages", "three messages"])("is read if the line is only %s", async (how) => {
    const session = await connect(scriptedServer(inOddLines));
    const heard = vi.fn();
    session.onNotification(heard);
    expect((await session.request("tools/call", call(how))).content).toEqual([{ type: "text", text: "ran" }]);
    expect(heard).toHaveBeenCalledWith({ method: "notifications/vendor", params: { braces: '}{"' } });
  });

  test("is named by the timeout of a call that it cannot be told to answer, without its credentials", async () => {
    const session = await connect(scriptedServer(inOddLines, { secrets: ["key-123456"] }));
    const limits = { timeoutMs: 1_000, maxTotalMs: 0 };
    const error = await failureOf(session.request("tools/call", call("a log line in the middle"), limits));
    expect(error.code).toBe("MCP_CALL_TIMEOUT");
    expect(error.message).toContain(
      "Meanwhile it printed 2 lines that are not JSON-RPC to its standard output",
    );
    expect(error.message).not.toContain("key-123456");
    const later = await failureOf(
      session.request("tools/call", call("nothing"), { ...limits, timeoutMs: 100 }),
    );
    expect(later.message).not.toContain("standard output");
  });

  test("does not fail the call whose id a request of the server bears", async () => {
    const session = await connect(scriptedServer(inOddLines));
    expect((await session.request("tools/call", call("an id of another message"))).content).toHaveLength(1);
  });
});

describe.concurrent("a server that repeats what it is sent", () => {
  test("is understood, and no echo counts as an answer or a question", async () => {
    const server = scriptedServer((message, { process, send }) => {
      process.stdout.write(`${JSON.stringify(message)}\n`);
      const state = globalThis as { call?: unknown };
      if (message.method === "tools/call") {
        state.call = message.id;
        // Its question has the id of the call, so the echo of our answer looks like the answer to the call.
        send({ id: message.id, method: "roots/list" });
        return true;
      }
      if (message.id === state.call && message.result !== undefined)
        setImmediate(() =>
          send({ id: state.call as number, result: { content: [{ type: "text", text: "done" }] } }),
        );
      return undefined;
    });
    const roots = vi.fn(async () => [{ uri: "file:///work" }]);
    const session = await connect(server, { handlers: { roots } });
    const { content } = await session.request("tools/call", call(""));
    expect(content).toEqual([{ type: "text", text: "done" }]);
    expect(roots).toHaveBeenCalledTimes(1);
    const answered = server.received().filter(({ method, result }) => method === undefined && result);
    expect(answered).toHaveLength(1);
    expect(server.received().filter((message) => "error" in message)).toEqual([]);
  });

  test("and does nothing else is silent", async () => {
    const cat = {
      transport: "stdio",
      name: "cat",
      command: "cat",
      args: [],
      env: { PATH: "/usr/bin:/bin" },
    } as const;
    const error = await failToConnect({ ...cat, secrets: [], limits: { connectTimeoutMs: 500 } });
    expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
  });
});

test("a launcher that ends while its child has the pipes is a living server", async () => {
  const server = scriptedServer();
  const script =
    "require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' }).unref()";
  const launcher = { ...server, args: ["-e", script, server.command, ...server.args] };
  const session = await connect(launcher);
  const onClose = vi.fn();
  session.onClose(onClose);
  await received(server, "notifications/initialized");
  // Far longer than the last words of a process that has ended are waited for.
  for (let round = 0; round < 10; round += 1) {
    await session.request("tools/call", { name: "echo" });
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(onClose).not.toHaveBeenCalled();
  expect(server.starts()).toHaveLength(1);
  await session.close();
  expectGone(server.starts());
});

test("a launcher that ends, and whose child ends later, is lost then", async () => {
  const server = scriptedServer((message, { process }) => {
    if (message.method !== "tools/call") return undefined;
    process.exit(0);
  });
  const script =
    "require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' }).unref()";
  const session = await connect({ ...server, args: ["-e", script, server.command, ...server.args] });
  const error = await failureOf(
    session.request("tools/call", { name: "echo" }, { timeoutMs: 0, maxTotalMs: 0 }),
  );
  expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown" });
  await gone(...server.starts());
});

describe.concurrent("closing", () => {
  /** Tells its input's end and every signal in its error output, and ends only at what the setting names. */
  const saving = (endsAt: "end" | "SIGTERM") =>
    scriptedServer({
      toString: () => `(message, { process }) => {
        if (message.method !== "started") return undefined;
        const note = (what) => process.getBuiltinModule("node:fs").appendFileSync(process.argv[3] + ".closing", what + " ");
        process.stdin.on("end", () => {
          note("end");
          if ("${endsAt}" === "end") setTimeout(() => { note("saved"); process.exit(0); }, 700);
          else setInterval(() => {}, 1000);
        });
        process.on("SIGTERM", () => { note("SIGTERM"); if ("${endsAt}" === "SIGTERM") process.exit(0); });
      }`,
    } as Script);

  test("leaves a server two fifths of the time to save what it has", async () => {
    const server = saving("end");
    const session = await connect(server, { closeTimeoutMs: 10_000 });
    await session.close();
    expect(await closingOf(server)).toBe("end saved ");
  });

  test("then asks it to end", async () => {
    const server = saving("SIGTERM");
    const session = await connect(server, { closeTimeoutMs: 1_000 });
    await session.close();
    expect(await closingOf(server)).toBe("end SIGTERM ");
  });
});

/** What a server noted while it was closed. */
async function closingOf({ args }: { readonly args?: readonly string[] }): Promise<string> {
  return process.getBuiltinModule("node:fs").readFileSync(`${args?.[2]}.closing`, "utf8");
}
