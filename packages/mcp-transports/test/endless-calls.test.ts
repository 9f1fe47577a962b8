import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect } from "./connecting.ts";
import { count, ECHO, never, open } from "./http/remote.ts";
import { scriptedServer } from "./scripted-server.ts";

const NO_LIMITS = { timeoutMs: 0, maxTotalMs: 0 };
const TWO_HOURS_MS = 7_200_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A call that its server answers after two hours. */
async function callRemote(answer: "json" | "sse" | "legacy-sse") {
  const script = { answer, answerLateMs: { "tools/call": TWO_HOURS_MS } };
  const { remote, session } = await open(script, { transport: answer === "legacy-sse" ? "sse" : "http" });
  const call = session.request("tools/call", ECHO, NO_LIMITS);
  await remote.until(() => count(remote, "tools/call") === 1);
  return { call };
}

// One test for all, since undici keeps the timer with which it was loaded.
test("a remote call without a deadline gets its answer after two hours", async () => {
  const calls = [await callRemote("json"), await callRemote("sse"), await callRemote("legacy-sse")];
  vi.advanceTimersByTime(TWO_HOURS_MS);
  for (const { call } of calls) expect((await call).content).toHaveLength(1);
});

test("a local call without a deadline gets its answer after two hours", async () => {
  const server = scriptedServer((message, { send }) => {
    const state = globalThis as { call?: number | string | undefined };
    if (message.method === "tools/call") state.call = message.id;
    if (message.method === "ping") send({ id: state.call, result: { content: [] } });
    return message.method === "tools/call";
  });
  const session = await connect(server);
  const call = session.request("tools/call", ECHO, NO_LIMITS);
  await session.list("tools", { signal: never });
  vi.advanceTimersByTime(TWO_HOURS_MS);
  await session.request("ping", undefined, NO_LIMITS);
  expect(await call).toEqual({ content: [] });
});
