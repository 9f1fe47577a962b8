import type { AuthPort } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { failureOf } from "../connecting.ts";
import { connectTo, count, ECHO, never, open, refusalOf, startRemote } from "./remote.ts";

describe("a redirect", () => {
  const secrets = {
    Authorization: "Bearer token-123456",
    Cookie: "id=cookie-123456",
    "X-Api-Key": "key-123456",
  };

  test.each([301, 302, 303, 307, 308])(
    "[T29] [X6] to another origin with %d is refused, and nothing is sent there",
    async (redirectStatus) => {
      const elsewhere = await startRemote();
      const { remote, session } = await open(
        { on: { "tools/call": { redirect: elsewhere.url, redirectStatus } } },
        { headers: secrets },
      );
      const error = await failureOf(session.request("tools/call", ECHO));
      // Only these two ask for the same request again; after the others, the call may have run.
      const outcome = redirectStatus >= 307 ? "rejected" : "unknown";
      expect(error).toMatchObject({ httpStatus: redirectStatus, outcome });
      expect(error.message).toContain(elsewhere.url);
      expect(elsewhere.requests).toEqual([]);
      expect(elsewhere.connectionCount).toBe(0);
      expect(count(remote, "tools/call")).toBe(1);
    },
  );

  test("[T29] during the handshake is reported with its target, without login or query", async () => {
    const redirect = "http://user:pass@127.0.0.1:9/mcp?token=secret-value";
    const error = await refusalOf({ on: { POST: { redirect } } }, { headers: secrets });
    expect(error).toMatchObject({ code: "MCP_CONNECT_FAILED", httpStatus: 307 });
    expect(error.message).toContain("http://127.0.0.1:9/mcp");
    expect(error.message).not.toMatch(/secret-value|user|pass/);
  });

  test("[X6] within the origin is followed if it keeps the method", async () => {
    const { session } = await open({ on: { "tools/call": { redirect: "same-origin" } } });
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
  });

  test("[X6] within the origin is refused if it would turn a POST into a GET", async () => {
    const { remote, session } = await open({
      on: { "tools/call": { redirect: "same-origin", redirectStatus: 302 } },
    });
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ httpStatus: 302 });
    expect(remote.calls).toEqual([]);
  });

  test("[T29] in a loop is refused after at most 4 requests", async () => {
    const { remote, session } = await open({ on: { "tools/call": { redirect: "loop" } } });
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ httpStatus: 307 });
    expect(count(remote, "tools/call")).toBeLessThanOrEqual(4);
  });
});

test.each([405, 411, 413, 415, 431])(
  "a call that is answered with %d was refused before it ran",
  async (status) => {
    const { session } = await open({ on: { "tools/call": { reply: { status } } } });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_TOOL_REJECTED", outcome: "rejected", httpStatus: status });
  },
);

test.each([
  [500, "MCP_CONNECT_FAILED"],
  [403, "MCP_AUTH_REQUIRED"],
])("a server that refuses the probe, and initialize with %d, is told of with both", async (status, code) => {
  const on = { "server/discover": { reply: { status: 429 } }, initialize: { reply: { status } } };
  const error = await refusalOf({ on });
  expect(error).toMatchObject({ code, httpStatus: status });
  expect(error.message).toContain(`HTTP ${status}`);
  expect(error.message).toContain("question for the newer protocol with HTTP 429");
});

describe("a busy server", () => {
  test.each([
    ["2", 2000],
    ["600", 600_000],
    ["soon", undefined],
  ])(
    "[R22] that answers 429 with Retry-After %s rejects the call, which is not sent again",
    async (value, retryAfterMs) => {
      const reply = { status: 429, headers: { "retry-after": value } };
      const { remote, session } = await open({ on: { "tools/call": { reply } } });
      const error = await failureOf(session.request("tools/call", ECHO));
      expect(error).toMatchObject({
        code: "MCP_TOOL_REJECTED",
        outcome: "rejected",
        httpStatus: 429,
        retryAfterMs,
      });
      expect(count(remote, "tools/call")).toBe(1);
    },
  );

  test("[R22] may send Retry-After as a date", async () => {
    const at = new Date(Date.now() + 90_000).toUTCString();
    const reply = { status: 503, headers: { "retry-after": at } };
    const { session } = await open({ on: { "tools/call": { reply } } });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ outcome: "unknown", httpStatus: 503 });
    expect(error.retryAfterMs).toBeGreaterThan(60_000);
    expect(error.retryAfterMs).toBeLessThanOrEqual(90_000);
  });

  test("[R22] is asked for its list again after its Retry-After", async () => {
    const reply = { status: 429, headers: { "retry-after": "0" } };
    const { remote, session } = await open({ on: { "tools/list": { reply, times: 2 } } });
    expect((await session.list("tools", { signal: never })).items).toHaveLength(4);
    expect(count(remote, "tools/list")).toBe(3);
  });

  test("[R22] with a Retry-After of 10 minutes fails the list at once, without a retry", async () => {
    const reply = { status: 429, headers: { "retry-after": "600" } };
    const { remote, session } = await open({ on: { "tools/list": { reply } } });
    const error = await failureOf(session.list("tools", { signal: never }));
    expect(error).toMatchObject({ httpStatus: 429, retryAfterMs: 600_000 });
    expect(count(remote, "tools/list")).toBe(1);
  });

  test.each([500, 502, 503, 504])(
    "[R23] that answers %d after it ran the call does not get the call again",
    async (status) => {
      const { remote, session } = await open({ on: { "tools/call": { reply: { status }, runs: true } } });
      const error = await failureOf(
        session.request("tools/call", { name: "echo", arguments: { nonce: "once" } }),
      );
      expect(error).toMatchObject({ code: "MCP_OUTCOME_UNKNOWN", outcome: "unknown", httpStatus: status });
      expect(remote.timesCarriedOut("once")).toBe(1);
    },
  );
});

describe("a server that refuses the credentials", () => {
  /** Hands out a token, and the next one after a challenge. */
  const portWith = (...tokens: string[]) => {
    const onChallenge = vi.fn<AuthPort["onChallenge"]>(async () => {
      await new Promise(setImmediate);
      tokens.shift();
      return tokens.length > 0 ? "retry" : "fail";
    });
    return { headers: async () => ({ authorization: `Bearer ${tokens[0]}` }), onChallenge };
  };

  test("[R21] [A25] for 100 calls at once causes one challenge, and each call runs once", async () => {
    const auth = portWith("old", "new");
    const { remote, session } = await open({ authorization: ["Bearer old"] }, { auth });
    remote.setScript({ authorization: ["Bearer new"] });
    const nonces = Array.from({ length: 100 }, (_, index) => `call ${index}`);
    await Promise.all(
      nonces.map((nonce) => session.request("tools/call", { name: "echo", arguments: { nonce } })),
    );
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
    expect(nonces.every((nonce) => remote.timesCarriedOut(nonce) === 1)).toBe(true);
  });

  test("[R21] a second time fails the call without a second challenge", async () => {
    const auth = portWith("old", "new", "newer");
    const { remote, session } = await open({ authorization: ["Bearer old"] }, { auth });
    remote.setScript({ authorization: ["Bearer other"] });
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "rejected", httpStatus: 401 });
    expect(auth.onChallenge).toHaveBeenCalledTimes(1);
  });

  test("[T42] with insufficient_scope every time causes one challenge per call", async () => {
    const auth = portWith("a", "b", "c");
    const headers = { "www-authenticate": 'Bearer error="insufficient_scope", scope="more"' };
    const { remote, session } = await open(
      { on: { "tools/call": { reply: { status: 403, headers } } } },
      { auth },
    );
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error).toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "rejected", httpStatus: 403 });
    expect(count(remote, "tools/call")).toBe(2);
    expect(auth.onChallenge).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ name: "remote" }),
      { status: 403, wwwAuthenticate: headers["www-authenticate"] },
      { principal: undefined, signal: expect.any(AbortSignal) },
    );
  });

  test("with a 403 and no challenge does not ask the auth port", async () => {
    const auth = portWith("a", "b");
    const { session } = await open({ on: { "tools/call": { reply: { status: 403 } } } }, { auth });
    expect((await failureOf(session.request("tools/call", ECHO))).code).toBe("MCP_AUTH_REQUIRED");
    expect(auth.onChallenge).not.toHaveBeenCalled();
  });

  test("an auth port that throws leaves the call unsent", async () => {
    const remote = await startRemote();
    let isBroken = false;
    const headers = async () => {
      if (isBroken) throw new Error("the vault is locked");
      return {};
    };
    const session = await connectTo(remote, { auth: { headers, onChallenge: async () => "fail" } });
    isBroken = true;
    expect(await failureOf(session.request("tools/call", ECHO))).toMatchObject({ outcome: "not-sent" });
    isBroken = false;
    expect(remote.calls).toEqual([]);
  });
});
