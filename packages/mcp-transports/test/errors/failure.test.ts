import { McpError } from "@jackfield/mcp-core";
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { ChannelFault } from "../../src/channel-fault.ts";
import { readFailure } from "../../src/errors/failure.ts";

const httpError = (status: number, text?: string) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "refused", { status, text });
const revokedProxy = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const withCode = (code: string) => Object.assign(new Error("system"), { code });

describe("readFailure", () => {
  test.each([
    ["a JSON-RPC error", new ProtocolError(-32000, "no"), { kind: "rpc", code: -32000, message: "no" }],
    ["an unknown protocol version", new ProtocolError(-32022, "old"), { kind: "version", detail: "old" }],
    [
      "an HTTP status",
      httpError(500, "boom"),
      { kind: "http", status: 500, detail: "refused", body: "boom" },
    ],
    [
      "an HTTP status with a JSON-RPC error in its body",
      httpError(400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"bad session"}}'),
      { kind: "rpc", code: -32000, message: "bad session" },
    ],
    [
      "a refused socket",
      withCode("ECONNREFUSED"),
      { kind: "network", code: "ECONNREFUSED", neverSent: true },
    ],
    [
      "an unreachable host during a read",
      Object.assign(withCode("EHOSTUNREACH"), { syscall: "read" }),
      { kind: "network", code: "EHOSTUNREACH", neverSent: false },
    ],
    ["a reset socket", withCode("ECONNRESET"), { kind: "network", code: "ECONNRESET", neverSent: false }],
    [
      "a closed connection",
      new SdkError(SdkErrorCode.ConnectionClosed, "gone"),
      { kind: "closed", detail: "gone" },
    ],
    ["the SDK's plain error for a missing connection", new Error("Not connected"), { kind: "closed" }],
    [
      "an invalid result",
      new SdkError(SdkErrorCode.InvalidResult, "odd"),
      { kind: "invalid", detail: "odd" },
    ],
    ["an aborted fetch", new DOMException("aborted", "AbortError"), { kind: "other", detail: "aborted" }],
    ["a string", "text", { kind: "other", detail: "text" }],
    ["undefined", undefined, { kind: "other", detail: "undefined" }],
    [
      "a value without a string form",
      Object.create(null),
      { kind: "other", detail: "a value without a text" },
    ],
    [
      "an error with a symbol as its message",
      Object.assign(new Error(), { message: Symbol("down") }),
      { kind: "other", detail: "Symbol(down)" },
    ],
    [
      "an HTTP status with a symbol as its message",
      Object.assign(new Error(), { message: Symbol("down"), status: 500 }),
      { kind: "http", status: 500, detail: "Symbol(down)", body: undefined },
    ],
    ["a revoked proxy", revokedProxy(), { kind: "other", detail: "a value without a text" }],
  ])("reads %s", (_, thrown, expected) => {
    expect(readFailure(thrown)).toEqual(expected);
  });

  test("finds the cause inside the SDK's wrappers", () => {
    const wrapped = new SdkError(SdkErrorCode.EraNegotiationFailed, "probe failed", undefined, {
      cause: new TypeError("fetch failed", { cause: withCode("ENOTFOUND") }),
    });
    expect(readFailure(wrapped)).toEqual({ kind: "network", code: "ENOTFOUND", neverSent: true });
  });

  test("returns our own errors unchanged, also when they are wrapped", () => {
    const error = new McpError("MCP_AUTH_REQUIRED", "log in");
    expect(readFailure(new Error("outer", { cause: error }))).toEqual({ kind: "mcp", error });
    const fault = new ChannelFault({ kind: "unwritable" });
    expect(readFailure(new Error("outer", { cause: fault }))).toEqual({
      kind: "channel",
      facts: fault.facts,
    });
  });

  test("reads an error whose cause is unreadable", () => {
    const unreadable = Object.defineProperty(new Error("inner"), "cause", {
      get() {
        throw new Error("It cannot be read.");
      },
    });
    const fault = new ChannelFault({ kind: "unserializable" }, { cause: unreadable });
    expect(readFailure(fault)).toEqual({ kind: "channel", facts: fault.facts });
  });

  test("reads an error that is its own cause", () => {
    const error = new Error("loop");
    error.cause = error;
    expect(readFailure(error)).toEqual({ kind: "other", detail: "loop" });
  });
});
