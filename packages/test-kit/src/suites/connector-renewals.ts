import { expect, test } from "vitest";
import {
  type ConnectorBench,
  failureOf,
  never,
  type OpenedSession,
  paramsOf,
} from "./connector-under-test.ts";

const CALLERS = Array.from({ length: 50 }, (_, index) => index);

const LABELS_OF_LOSS = [
  "MCP_SESSION_LOST rejected",
  "MCP_SESSION_LOST not-sent",
  "MCP_OUTCOME_UNKNOWN unknown",
];

/** Tests how a session that its server has forgotten is renewed. */
export function describeRenewals({ open }: ConnectorBench): void {
  test("[R20] a forgotten session is renewed once for all callers, and each gets its answer", async () => {
    const subject = await open();
    const told = renewalsOf(subject);
    await forget(subject);
    const results = await Promise.all(
      CALLERS.map((n) => subject.session.request("tools/call", { name: "echo", arguments: { n } })),
    );
    const texts = results.map(({ content }) => content[0]);
    expect(texts).toEqual(CALLERS.map((n) => ({ type: "text", text: JSON.stringify({ n }) })));
    expect(paramsOf(subject, "initialize")).toHaveLength(2);
    expect(told()).toBe(1);
  });

  test("a session forgotten twice is renewed twice and stays open for its holder", async () => {
    const subject = await open();
    const { session } = subject;
    const told = renewalsOf(subject);
    const ends: unknown[] = [];
    session.onClose((cause) => ends.push(cause));
    for (const count of [1, 2]) {
      await forget(subject);
      expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
      expect(told()).toBe(count);
    }
    expect(ends).toEqual([]);
    expect(session.handshake).toMatchObject({ era: "legacy", protocolVersion: "2025-11-25" });
  });

  test("an onRenewed listener may throw, and a removed one is not called", async () => {
    const subject = await open();
    subject.session.onRenewed(() => {
      throw new Error("A listener that throws.");
    });
    subject.session.onRenewed(() => expect.fail("It was told after all."))();
    const told = renewalsOf(subject);
    await forget(subject);
    await subject.session.list("tools", { signal: never });
    expect(told()).toBe(1);
  });

  test("a failed renewal rejects the call with MCP_SESSION_LOST, outcome rejected", async () => {
    const subject = await open();
    const told = renewalsOf(subject);
    await subject.lose();
    const error = await failureOf(subject.session.request("tools/call", { name: "echo" }));
    expect(error).toMatchObject({ code: "MCP_SESSION_LOST", outcome: "rejected" });
    expect(told()).toBe(0);
  });

  test("a failed renewal rejects every concurrent call", async () => {
    const subject = await open();
    await subject.lose();
    const errors = await Promise.all(
      CALLERS.map(() => failureOf(subject.session.request("tools/call", { name: "echo" }))),
    );
    // A call in flight when the session ended cannot know whether it was refused.
    const labels = new Set(errors.map(({ code, outcome }) => `${code} ${outcome}`));
    expect(LABELS_OF_LOSS).toEqual(expect.arrayContaining([...labels]));
    expect(labels).toContain("MCP_SESSION_LOST rejected");
  });
}

async function forget(subject: OpenedSession): Promise<void> {
  if (!subject.forget) throw new Error("A connector that renews sessions is tested with a `forget`.");
  await subject.forget();
}

/** Counts the session's `onRenewed` events from now on. */
function renewalsOf({ session }: OpenedSession): () => number {
  let count = 0;
  session.onRenewed(() => {
    count += 1;
  });
  return () => count;
}
