import { inspect } from "node:util";
import { isMcpError } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { connectTo, open, type RemoteChanges, startRemote } from "./remote.ts";

const fail = () => {
  throw new Error("It cannot be read.");
};
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

/** Converting these values to a string, printing or inspecting them throws in turn. */
const HOSTILE: { readonly [what: string]: unknown } = {
  "has no string form": Object.create(null),
  "is a revoked proxy": revoked,
  "has an unreadable cause": Object.defineProperty(new Error("down"), "cause", { get: fail }),
  "has an unreadable code": Object.defineProperty(new Error("down"), "code", { get: fail }),
  "has a symbol as its message": Object.assign(new Error("down"), { message: Symbol("down"), status: 500 }),
  "cannot be printed": Object.assign(new Error("down"), { [inspect.custom]: fail }),
};

describe.each(Object.entries(HOSTILE))("a thrown value that %s", (_, thrown) => {
  const reject = async () => {
    throw thrown;
  };
  const secrets = ["key-123456"];

  test.each<[string, RemoteChanges]>([
    ["auth.headers", { auth: { headers: reject, onChallenge: async () => "fail" } }],
    ["fetch", { http: { fetch: reject } }],
  ])("fails the connection with MCP_CONNECT_FAILED if the host's %s throws it", async (_by, changes) => {
    const remote = await startRemote();
    const error = await failureOf(connectTo(remote, { ...changes, secrets }));
    expect(isMcpError(error, "MCP_CONNECT_FAILED")).toBe(true);
    // It says what came, not how looking at it failed.
    expect(String(error)).not.toContain("proxy");
  });

  test("fails the call with an McpError if the host's onChallenge throws it", async () => {
    const { session } = await open(
      { on: { "tools/call": { reply: { status: 401 } } } },
      { auth: { headers: async () => ({}), onChallenge: reject }, secrets },
    );
    const error = await failureOf(session.request("tools/call", { name: "echo", arguments: {} }));
    expect(isMcpError(error)).toBe(true);
  });
});
