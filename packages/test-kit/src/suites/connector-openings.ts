import type { ProtocolEra } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { arrivalOf, type ConnectorBench, failureOf, never, paramsOf } from "./connector-under-test.ts";

const HANDSHAKE_METHODS = ["server/discover", "initialize"] as const;

export interface OpeningTraits {
  readonly era: ProtocolEra;
  /** Whether a `server/discover` probe that the server does not support precedes the handshake. */
  readonly isProbed: boolean;
}

/** Tests how a session is opened, and how opening fails. */
export function describeOpenings(bench: ConnectorBench, traits: OpeningTraits): void {
  describeSuccess(bench, traits.era);
  describeFailure(bench, traits);
  describeGivingUp(bench);
}

function describeSuccess({ prepare, connect, open }: ConnectorBench, era: ProtocolEra): void {
  test("the handshake holds the agreed version and the server's own description", async () => {
    const { session } = await open({ instructions: "Be kind." });
    expect(session.handshake).toMatchObject({
      era,
      protocolVersion: era === "modern" ? "2026-07-28" : "2025-11-25",
      serverInfo: { name: "jackfield-fault-server", version: "1.0.0" },
      capabilities: { tools: { listChanged: true } },
      instructions: "Be kind.",
      prior: { era, at: expect.any(Number) },
    });
  });

  test("the prior of one handshake spares the next session the probe", async () => {
    const subject = await prepare();
    const first = await connect(subject);
    await first.close();
    const probes = paramsOf(subject, "server/discover").length;
    const second = await connect(subject, { prior: first.handshake.prior });
    expect((await second.list("tools", { signal: never })).items).toHaveLength(4);
    expect(second.handshake).toMatchObject({ era, capabilities: first.handshake.capabilities });
    expect(paramsOf(subject, "server/discover")).toHaveLength(probes);
  });
}

function describeFailure({ prepare, connect }: ConnectorBench, { era, isProbed }: OpeningTraits): void {
  test("connecting to a silent server fails at the connect deadline", async () => {
    const subject = await prepare({ silentOn: HANDSHAKE_METHODS });
    const error = await failureOf(connect(subject, { limits: { connectTimeoutMs: 1_500 } }));
    expect(error).toMatchObject({ code: "MCP_CONNECT_TIMEOUT", server: subject.server.name });
    expect(error.message).toContain("1500 ms");
  });

  if (isProbed)
    test("one connect deadline covers the probe and the handshake together", async () => {
      // The handshake alone would meet the deadline. The probe takes a third of it.
      // Different times, because Node.js fires all due timers of one length before any other: a blocked loop would answer too early.
      const answerLateMs = Object.fromEntries(
        HANDSHAKE_METHODS.map((method, index) => [method, 1_400 + 40 * index]),
      );
      const subject = await prepare({ answerLateMs });
      const error = await failureOf(connect(subject, { limits: { connectTimeoutMs: 1_500 } }));
      expect(error.code).toBe("MCP_CONNECT_TIMEOUT");
    });

  test("a refused handshake fails with the server's reason", async () => {
    const refusal = { code: -32603, message: "licence expired" };
    const errorOn = Object.fromEntries(HANDSHAKE_METHODS.map((method) => [method, refusal]));
    const subject = await prepare({ errorOn });
    const error = await failureOf(connect(subject));
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", server: subject.server.name });
    expect(error.message).toContain("licence expired");
  });

  test("an unknown protocol version fails with MCP_PROTOCOL_UNSUPPORTED", async () => {
    const subject = await prepare({ protocolVersion: era === "modern" ? "2099-01-01" : "1999-01-01" });
    const error = await failureOf(connect(subject));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_UNSUPPORTED", server: subject.server.name });
  });
}

function describeGivingUp({ prepare, connect }: ConnectorBench): void {
  test("connecting with an aborted signal sends nothing", async () => {
    const subject = await prepare();
    const error = await failureOf(connect(subject, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "MCP_ABORTED", server: subject.server.name });
    expect(subject.received()).toEqual([]);
  });

  test("a signal that fires while connecting aborts the attempt", async () => {
    const subject = await prepare({ silentOn: HANDSHAKE_METHODS });
    const controller = new AbortController();
    const connecting = failureOf(connect(subject, { signal: controller.signal }));
    await arrivalOf(subject, ...HANDSHAKE_METHODS);
    controller.abort();
    expect(await connecting).toMatchObject({ code: "MCP_ABORTED", server: subject.server.name });
  });

  test("a signal that fires after connecting leaves the session open", async () => {
    const subject = await prepare();
    const controller = new AbortController();
    const session = await connect(subject, { signal: controller.signal });
    controller.abort();
    expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
  });
}
