import { isMcpError } from "@jackfield/mcp-core";
import { expect, test } from "vitest";
import { failureOf } from "../connecting.ts";
import { connectTo, open, type RemoteChanges, startRemote } from "./remote.ts";

/** Has no text: to make one of it throws in turn. */
const TEXTLESS = Object.create(null);
const reject = async () => {
  throw TEXTLESS;
};

test.each<[string, RemoteChanges]>([
  ["credentials", { auth: { headers: reject, onChallenge: async () => "fail" } }],
  ["a fetch", { http: { fetch: reject } }],
])(
  "what has no text and is thrown by %s of the host's fails the connection, and nothing else",
  async (_by, changes) => {
    const remote = await startRemote();
    const error = await failureOf(connectTo(remote, changes));
    expect(isMcpError(error, "MCP_CONNECT_FAILED")).toBe(true);
  },
);

test("what has no text and is thrown by a meeting of a challenge fails the call, and nothing else", async () => {
  const { session } = await open(
    { on: { "tools/call": { reply: { status: 401 } } } },
    { auth: { headers: async () => ({}), onChallenge: reject } },
  );
  const error = await failureOf(session.request("tools/call", { name: "echo", arguments: {} }));
  expect(isMcpError(error)).toBe(true);
});
