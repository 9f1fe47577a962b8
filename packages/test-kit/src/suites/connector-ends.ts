import type { McpError, ProtocolEra, ServerNotification } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import {
  arrivalOf,
  type ConnectorBench,
  failureOf,
  never,
  type OpenedSession,
} from "./connector-under-test.ts";

const ECHO = { name: "echo" };
const MUTE = { silentOn: ["tools/call"] };
const NO_DEADLINE = { timeoutMs: 0, maxTotalMs: 0 };
const LIST_CHANGED = "notifications/tools/list_changed";

const throwing = () => {
  throw new Error("A listener that throws.");
};

/** Tests notifications and the end of a session. */
export function describeEnds(bench: ConnectorBench, era: ProtocolEra): void {
  describeNotifications(bench, era);
  describeClosing(bench);
  // A modern server behind HTTP has no session that it could lose.
  if (era === "legacy") describeLoss(bench);
}

function describeNotifications({ open }: ConnectorBench, era: ProtocolEra): void {
  /** Makes the server send one `list_changed` notification. */
  const provoke = async (subject: OpenedSession) => {
    if (era === "modern") await arrivalOf(subject, "subscriptions/listen");
    await subject.session.request("tools/call", ECHO);
  };

  test("a notification sent before anyone listens is kept for the first listener", async () => {
    const subject = await open({ listChangedAfterCall: true });
    await provoke(subject);
    // On a pipe, the notification arrives before this answer.
    await subject.session.list("tools", { signal: never });
    expect((await nextNotification(subject)).method).toBe(LIST_CHANGED);
  });

  test("a throwing listener does not block the others, and a removed one hears nothing", async () => {
    const subject = await open({ listChangedAfterCall: true });
    const heard: ServerNotification[] = [];
    subject.session.onNotification(throwing);
    subject.session.onNotification((notification) => heard.push(notification))();
    const next = nextNotification(subject);
    await provoke(subject);
    expect((await next).method).toBe(LIST_CHANGED);
    expect(heard).toEqual([]);
  });
}

function describeClosing({ open }: ConnectorBench): void {
  test("closing several times calls each onClose listener once, without a cause", async () => {
    const { session } = await open();
    const causes: (McpError | undefined)[] = [];
    session.onClose(throwing);
    session.onClose((cause) => causes.push(cause));
    await Promise.all([session.close(), session.close(), session[Symbol.asyncDispose]()]);
    await session.close();
    expect(causes).toEqual([undefined]);
  });

  test("pending calls reject before onClose is called", async () => {
    const subject = await open(MUTE);
    const events: string[] = [];
    subject.session.onClose(() => events.push("closed"));
    const calls = [1, 2, 3].map(() =>
      failureOf(subject.session.request("tools/call", ECHO, NO_DEADLINE)).then(({ code, outcome }) =>
        events.push(`${code} ${outcome}`),
      ),
    );
    await arrivalOf(subject, "tools/call");
    await subject.session.close();
    await Promise.all(calls);
    expect(events).toEqual([...calls.map(() => expect.stringContaining("MCP_CLOSED")), "closed"]);
    expect(events).toContain("MCP_CLOSED unknown");
  });

  test("onClose on a closed session calls the listener at once", async () => {
    const { session } = await open();
    await session.close();
    const causes: (McpError | undefined)[] = [];
    session.onClose((cause) => causes.push(cause));
    expect(causes).toEqual([undefined]);
    expect(() => session.onClose(throwing)).not.toThrow();
  });

  test("a closed session rejects requests and lists as not sent", async () => {
    const { session, server } = await open();
    await session.close();
    const refused = { code: "MCP_CLOSED", outcome: "not-sent", server: server.name };
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject(refused);
    expect(await failureOf(session.list("tools", { signal: never }))).toMatchObject(refused);
  });
}

function describeLoss({ prepare, connect }: ConnectorBench): void {
  test("a session ended by its server is lost once, with a retryable cause", async () => {
    const subject = await prepare();
    const session = await connect(subject);
    const causes: (McpError | undefined)[] = [];
    session.onClose((cause) => causes.push(cause));
    const ended = new Promise((resolve) => session.onClose(resolve));
    await subject.lose();
    // Over HTTP, only the next request discovers the loss.
    await failureOf(session.request("tools/call", ECHO));
    expect(await ended).toMatchObject({ retryable: true, server: subject.server.name });

    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({
      code: "MCP_SESSION_LOST",
      outcome: "not-sent",
    });
    const late: (McpError | undefined)[] = [];
    session.onClose((cause) => late.push(cause));
    await session.close();
    expect(causes).toHaveLength(1);
    expect(late).toEqual(causes);
  });

  test("the connector can connect again after a session was lost", async () => {
    const subject = await prepare();
    const session = await connect(subject);
    await subject.lose();
    await failureOf(session.request("tools/call", ECHO));
    const next = await connect(subject);
    expect((await next.list("tools", { signal: never })).items).toHaveLength(4);
  });
}

function nextNotification({ session }: OpenedSession): Promise<ServerNotification> {
  return new Promise((resolve) => session.onNotification(resolve));
}
