import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type FaultScript,
  readFaultRecord,
  startHttpFaultServer,
  stdioFaultServer,
  useLeakCheck,
} from "@jackfield/test-kit";
import { type Mcp, openMcp } from "jackfield";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
// Loaded here: to load a framework for the first time may take longer than a test may.
import "../../src/frameworks/ai-sdk.ts";
import "../../src/frameworks/langchain.ts";
import { FRAMEWORK_NAMES, loadFramework } from "../../src/frameworks/load-framework.ts";
import { type OfflineModel, startOfflineModel } from "../../src/offline-model/server.ts";

useLeakCheck();

const never = new AbortController().signal;
const ECHO = {
  name: "echo",
  description: "Echoes the message",
  inputSchema: {
    type: "object" as const,
    properties: { message: { type: "string" } },
    required: ["message"],
  },
};

let model: OfflineModel;
let folder: string;

beforeEach(async () => {
  model = await startOfflineModel();
  folder = mkdtempSync(join(tmpdir(), "agent-servers-"));
});

afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true });
});

const settings = () => ({ baseUrl: model.baseUrl, apiKey: "none", model: "offline-stand-in" });

interface Served extends AsyncDisposable {
  readonly mcp: Mcp;
  calls(): number;
}

async function overStdio(script: FaultScript = {}): Promise<Served> {
  const recordTo = join(folder, "record");
  const server = stdioFaultServer({ tools: [ECHO], ...script, recordTo });
  const mcp = await openMcp({ cache: false, servers: { everything: server } });
  return {
    mcp,
    calls: () =>
      readFaultRecord(recordTo).filter((line) => line.event === "received" && line.method === "tools/call")
        .length,
    [Symbol.asyncDispose]: () => mcp.close(),
  };
}

async function overHttp(): Promise<Served> {
  const server = await startHttpFaultServer({ tools: [ECHO] });
  const mcp = await openMcp({ cache: false, servers: { everything: { url: server.url } } });
  return {
    mcp,
    calls: () => server.calls.length,
    async [Symbol.asyncDispose]() {
      await mcp.close();
      await server.close();
    },
  };
}

describe.each(FRAMEWORK_NAMES)("the agent on %s, with the offline model and a real server", (name) => {
  it.each([
    ["stdio", overStdio],
    ["HTTP", overHttp],
  ])("calls a tool over %s once and answers with its result", async (_name, serve) => {
    await using served = await serve();
    const agent = await loadFramework(name, served.mcp, settings());
    const answer = await agent.ask('Echo the message "hi"', { signal: never });
    expect(answer.text).toContain('{"message":"hi"}');
    expect(served.calls()).toBe(1);
  });

  it("reports that a call may have run if the server dies during it", async () => {
    await using served = await overStdio({ dieInCall: true });
    const agent = await loadFramework(name, served.mcp, settings());
    const answer = await agent.ask('Echo the message "hi"', { signal: never });
    expect(answer.text).toContain("it may have run");
    expect(served.calls()).toBe(1);
  });

  it("uses a tool that the server added later", async () => {
    await using served = await overStdio({
      listChangedAfterCall: [ECHO, { ...ECHO, name: "reverse_text", description: "Reverses" }],
    });
    const agent = await loadFramework(name, served.mcp, settings());
    const changed = new Promise((resolve) => served.mcp.on("toolsChanged", resolve));
    await agent.ask('Echo the message "hi"', { signal: never });
    await changed;
    const answer = await agent.ask('Reverse the text of the message "late"', { signal: never });
    expect(answer.calls).toMatchObject([{ tool: "reverse_text", ok: true }]);
    expect(served.calls()).toBe(2);
  });

  it("rejects when aborted during a call, and cancels it at the server", async () => {
    const server = await startHttpFaultServer({ tools: [ECHO], silentOn: ["tools/call"] });
    const mcp = await openMcp({ cache: false, servers: { everything: { url: server.url } } });
    try {
      const stop = new AbortController();
      const agent = await loadFramework(name, mcp, settings());
      const ended = expect(agent.ask('Echo the message "hi"', { signal: stop.signal })).rejects.toThrow();
      await server.received(({ body }) => body?.method === "tools/call");
      stop.abort();
      await ended;
      await server.received(({ body }) => body?.method === "notifications/cancelled");
    } finally {
      await mcp.close();
      await server.close();
    }
  });
});
