import {
  type AuthPort,
  DEFAULT_LIMITS,
  McpError,
  type ResolvedServer,
  silentLogger,
} from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { listAll } from "../../src/protocol/lists.ts";
import { connect, failureOf } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";

const never = new AbortController().signal;

describe("a page of a list", () => {
  test.each([
    [3, "MCP_REQUEST_REJECTED", "list", 503],
    [3, "MCP_REQUEST_REJECTED", "list", 429],
    [3, "MCP_SESSION_LOST", "list", undefined],
    [1, "MCP_CONNECT_FAILED", "handshake", 503],
    [1, "MCP_CONNECT_FAILED", "handshake", 429],
    [1, "MCP_SESSION_LOST", "handshake", undefined],
    [1, "MCP_REQUEST_REJECTED", "list", 500],
  ] as const)(
    "is requested %d times in all if it fails with %s, phase %s, status %s",
    async (times, code, phase, httpStatus) => {
      const error = new McpError(code, "failed", { phase, httpStatus, retryAfterMs: 0 });
      let asked = 0;
      const listing = listAll("tools", {
        capabilities: { tools: {} },
        absent: new Set(),
        context: () => ({ server: { name: "s" } as ResolvedServer, facts: {} }),
        requestPage: () => {
          asked += 1;
          return Promise.reject(error);
        },
        limits: DEFAULT_LIMITS,
        deadline: undefined,
        ended: never,
        signal: never,
        log: silentLogger,
      });
      expect(await failureOf(listing)).toBe(error);
      expect(asked).toBe(times);
    },
  );
});

describe("a list that needs authorization", () => {
  /** A session whose lists are refused with a status, and the number of challenges that caused. */
  async function openGuarded(status: number, met: () => Promise<"retry" | "fail">) {
    const server = await startHttpServer((exchange) => {
      if (exchange.message?.method !== "tools/list") return false;
      exchange.status(status, { "retry-after": "0" });
      return true;
    });
    let challenges = 0;
    const auth: AuthPort = {
      headers: async () => ({}),
      onChallenge: () => {
        challenges += 1;
        return met();
      },
    };
    const session = await connect(server, { auth });
    const failure = await failureOf(session.list("tools", { signal: never }));
    return { failure, challenges, lists: server.log.filter(({ what }) => what === "POST tools/list").length };
  }

  test.each([429, 502, 503, 504])(
    "is requested once if the authorization server answers HTTP %d; the error keeps retryAfterMs",
    async (httpStatus) => {
      const details = { phase: "handshake", outcome: "rejected", httpStatus, retryAfterMs: 0 } as const;
      const unmet = new McpError("MCP_CONNECT_FAILED", "busy", details);
      const { failure, challenges, lists } = await openGuarded(401, () => Promise.reject(unmet));
      expect(failure).toMatchObject({ code: "MCP_CONNECT_FAILED", ...details });
      expect([challenges, lists]).toEqual([1, 1]);
    },
  );

  test.each([429, 502, 503, 504])(
    "is requested three times if the MCP server answers HTTP %d",
    async (httpStatus) => {
      const { failure, challenges, lists } = await openGuarded(httpStatus, async () => "fail");
      expect(failure).toMatchObject({ phase: "list", httpStatus });
      expect([challenges, lists]).toEqual([0, 3]);
    },
  );
});

test.each([429, 503])(
  "a call that the MCP server answers with HTTP %d fails in the phase call",
  async (httpStatus) => {
    const server = await startHttpServer(({ message, status }) => {
      if (message?.method !== "tools/call") return false;
      status(httpStatus);
      return true;
    });
    const session = await connect(server);
    const failure = await failureOf(session.request("tools/call", { name: "echo" }));
    expect(failure).toMatchObject({ phase: "call", httpStatus });
  },
);
