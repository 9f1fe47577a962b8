import { McpError } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { readFailure } from "../../src/errors/failure.ts";
import { asError } from "../../src/errors/wording.ts";
import { RpcError, TransportFault } from "../../src/faults.ts";

const REFUSED = { kind: "http-refused", status: 500, text: "boom" } as const;
const RPC_BODY = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"bad session"}}';
const revokedProxy = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const withCode = (code: string) => Object.assign(new Error("system"), { code });

describe("readFailure", () => {
  test.each([
    [
      "a JSON-RPC error",
      new RpcError({ code: -32000, message: "no" }),
      { kind: "rpc", code: -32000, message: "no" },
    ],
    [
      "an unknown protocol version",
      new RpcError({ code: -32022, message: "old" }),
      { kind: "version", detail: "old" },
    ],
    ["an HTTP status", new TransportFault(REFUSED), { kind: "transport", facts: REFUSED }],
    [
      "an HTTP status with a JSON-RPC error in its body",
      new TransportFault({ ...REFUSED, status: 400, text: RPC_BODY }),
      { kind: "rpc", code: -32000, message: "bad session", httpStatus: 400 },
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
    ["text that is not JSON", new SyntaxError("odd"), { kind: "invalid", detail: "odd" }],
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
    ["a revoked proxy", revokedProxy(), { kind: "other", detail: "a value without a text" }],
  ])("reads %s", (_, thrown, expected) => {
    expect(readFailure(thrown)).toEqual(expected);
  });

  test("finds the cause inside wrappers", () => {
    const wrapped = new Error("probe failed", {
      cause: new TypeError("fetch failed", { cause: withCode("ENOTFOUND") }),
    });
    expect(readFailure(wrapped)).toEqual({ kind: "network", code: "ENOTFOUND", neverSent: true });
  });

  test("returns our own errors unchanged, also when they are wrapped", () => {
    const error = new McpError("MCP_AUTH_REQUIRED", "log in");
    expect(readFailure(new Error("outer", { cause: error }))).toEqual({ kind: "mcp", error });
    const fault = new TransportFault({ kind: "unwritable" });
    expect(readFailure(new Error("outer", { cause: fault }))).toEqual({
      kind: "transport",
      facts: fault.facts,
    });
  });

  test("reads an error whose cause is unreadable", () => {
    const unreadable = Object.defineProperty(new Error("inner"), "cause", {
      get() {
        throw new Error("It cannot be read.");
      },
    });
    const fault = new TransportFault({ kind: "unserializable" }, { cause: unreadable });
    expect(readFailure(fault)).toEqual({ kind: "transport", facts: fault.facts });
  });

  test("reads an error that is its own cause", () => {
    const error = new Error("loop");
    error.cause = error;
    expect(readFailure(error)).toEqual({ kind: "other", detail: "loop" });
  });
});

test.each([
  ["a revoked proxy", revokedProxy()],
  ["a text", "a value without a text"],
])("what a host's function throws is an error that can be read: %s", (_what, thrown) => {
  const error = asError(thrown);
  expect(error).toBeInstanceOf(Error);
  expect(error.message).toBe("a value without a text");
  expect(asError(error)).toBe(error);
});
