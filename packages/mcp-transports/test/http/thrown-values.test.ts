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

/** To make a text of it, to print it or to look at it throws in turn. */
const HOSTILE: { readonly [what: string]: unknown } = {
  "has no text": Object.create(null),
  "is a proxy that was revoked": revoked,
  "has a cause that cannot be read": Object.defineProperty(new Error("down"), "cause", { get: fail }),
  "has a code that cannot be read": Object.defineProperty(new Error("down"), "code", { get: fail }),
  "has no text in its message": Object.assign(new Error("down"), { message: Symbol("down"), status: 500 }),
  "cannot be printed": Object.assign(new Error("down"), { [inspect.custom]: fail }),
};

describe.each(Object.entries(HOSTILE))("what %s", (_, thrown) => {
  const reject = async () => {
    throw thrown;
  };
  const secrets = ["key-123456"];

  test.each<[string, RemoteChanges]>([
    ["credentials", { auth: { headers: reject, onChallenge: async () => "fail" } }],
    ["a fetch", { http: { fetch: reject } }],
  ])("and is thrown by %s of the host's fails the connection, and nothing else", async (_by, changes) => {
    const remote = await startRemote();
    const error = await failureOf(connectTo(remote, { ...changes, secrets }));
    expect(isMcpError(error, "MCP_CONNECT_FAILED")).toBe(true);
  });

  test("and is thrown by a meeting of a challenge fails the call, and nothing else", async () => {
    const { session } = await open(
      { on: { "tools/call": { reply: { status: 401 } } } },
      { auth: { headers: async () => ({}), onChallenge: reject }, secrets },
    );
    const error = await failureOf(session.request("tools/call", { name: "echo", arguments: {} }));
    expect(isMcpError(error)).toBe(true);
  });
});
