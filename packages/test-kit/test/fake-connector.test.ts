import { McpError, type ResolvedServer, silentLogger } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { createFakeConnector } from "../src/fake-connector.ts";
import { createFakeSession } from "../src/fake-session.ts";

const server: ResolvedServer = {
  name: "one",
  transport: "http",
  url: "http://127.0.0.1:9",
  headers: {},
  secrets: [],
};
const options = (signal = new AbortController().signal) => ({ signal, log: silentLogger });

test("an attempt exposes its server and options, and opens the given session", async () => {
  const connector = createFakeConnector();
  const asked = options();
  const connecting = connector.connect(server, asked);
  const attempt = await connector.nextAttempt();
  expect(attempt).toMatchObject({ server, options: asked, aborted: false });
  const session = createFakeSession();
  expect(attempt.open(session)).toBe(session);
  expect(await connecting).toBe(session);
});

test("an attempt fails with the given error", async () => {
  const connector = createFakeConnector();
  const connecting = connector.connect(server, options());
  const error = new McpError("MCP_CONNECT_FAILED", "Refused.");
  (await connector.nextAttempt()).fail(error);
  await expect(connecting).rejects.toBe(error);
});

test("nextAttempt returns each attempt once and in order, even when called early", async () => {
  const connector = createFakeConnector();
  const waiting = [connector.nextAttempt(), connector.nextAttempt()];
  for (const name of ["a", "b", "c"]) void connector.connect({ ...server, name }, options());
  const handedOut = await Promise.all([...waiting, connector.nextAttempt()]);
  expect(handedOut.map((attempt) => attempt.server.name)).toEqual(["a", "b", "c"]);
  expect(connector.attempts).toEqual(handedOut);
});

test("onAttempt can open the session as soon as the attempt begins", async () => {
  const connector = createFakeConnector({ onAttempt: (attempt) => attempt.open() });
  const session = await connector.connect(server, options());
  expect(session.handshake.era).toBe("modern");
});

test("an aborted attempt rejects, and a session opened after it is closed", async () => {
  const connector = createFakeConnector();
  const controller = new AbortController();
  const connecting = connector.connect(server, options(controller.signal));
  const attempt = await connector.nextAttempt();
  controller.abort();
  await expect(connecting).rejects.toMatchObject({ code: "MCP_ABORTED", server: "one" });
  expect(attempt.aborted).toBe(true);
  expect(attempt.open().closed).toBe(true);
  attempt.fail(new McpError("MCP_CONNECT_FAILED", "Too late."));
});

test("an attempt with an already aborted signal is aborted from the start", async () => {
  const connector = createFakeConnector();
  await expect(connector.connect(server, options(AbortSignal.abort()))).rejects.toMatchObject({
    code: "MCP_ABORTED",
  });
  expect((await connector.nextAttempt()).aborted).toBe(true);
});

test("an abort after open changes nothing, and a second open throws", async () => {
  const connector = createFakeConnector();
  const controller = new AbortController();
  const connecting = connector.connect(server, options(controller.signal));
  const attempt = await connector.nextAttempt();
  const session = attempt.open();
  controller.abort();
  expect(await connecting).toBe(session);
  expect([attempt.aborted, session.closed]).toEqual([false, false]);
  expect(() => attempt.open()).toThrow("decided twice");
});
