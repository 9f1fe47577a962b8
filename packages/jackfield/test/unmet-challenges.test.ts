import { type AuthPort, McpError } from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { renewRefusedValues } from "../src/refused-values.ts";

describe("a value printed by a command, after a 401", () => {
  const refused = new McpError("MCP_AUTH_REQUIRED", "refused", { httpStatus: 401 });
  const definition = {
    name: "s",
    transport: "http",
    url: "https://s.example",
    headers: { a: "!print" },
    definedIn: { scope: "user" },
  } as const;

  /** The `rejected` flags with which the resolver is called after these attempts. Each attempt ends as its last challenge does. */
  async function askedAfter(attempts: readonly (readonly (McpError | "retry")[])[]) {
    const asked: unknown[] = [];
    const { signal } = new AbortController();
    const log = () => {};
    let answers: readonly (McpError | "retry")[] = [];
    const { resolve, connect } = renewRefusedValues(
      {
        async resolve({ name }, { principal, rejected }) {
          if (principal === undefined) asked.push(rejected);
          return { name, transport: "http", url: "https://s.example", headers: { a: "x" }, secrets: [] };
        },
        async connect(server, { auth }) {
          let end: unknown;
          for (const _ of answers) {
            const met = auth?.onChallenge(server, { status: 401 }, signal);
            // The server refuses even after the challenge was met.
            end = await met?.then(
              () => refused,
              (error: unknown) => error,
            );
          }
          throw end;
        },
      },
      { runsCommands: true, log },
    );
    const servers = await Promise.all(attempts.map(() => resolve(definition, { signal })));
    for (const [index, server] of servers.entries()) {
      answers = attempts[index] ?? [];
      const left = [...answers];
      const onChallenge = async () => {
        const answer = left.shift() ?? refused;
        if (answer === "retry") return answer;
        throw answer;
      };
      const auth: AuthPort = { headers: async () => ({}), onChallenge };
      await connect(server, { signal, auth, log }).catch(() => {});
    }
    asked.length = 0;
    await resolve(definition, { signal });
    return asked;
  }
  const passing = new McpError("MCP_CONNECT_FAILED", "busy", { httpStatus: 503 });

  it("is rejected after one definite refusal, before or after an outage", async () => {
    expect(await askedAfter([[refused], [passing]])).toEqual([true]);
    expect(await askedAfter([[passing], [refused]])).toEqual([true]);
    expect(await askedAfter([[passing, "retry"]])).toEqual([true]);
    expect(await askedAfter([[passing], [passing]])).toEqual([undefined]);
  });

  it.each([
    new McpError("MCP_PROTOCOL_VIOLATED", "compressed", { httpStatus: 200 }),
    new McpError("MCP_PROTOCOL_VIOLATED", "none"),
    new McpError("MCP_CONNECT_FAILED", "to no place", { httpStatus: 302 }),
    new McpError("MCP_CONNECT_FAILED", "guarded", { httpStatus: 401 }),
  ])("is rejected if the challenge fails permanently: $code, $message", async (lasting) => {
    expect(await askedAfter([[lasting]])).toEqual([true]);
  });

  it.each([
    new McpError("MCP_CONNECT_FAILED", "nobody is there"),
    new McpError("MCP_CONNECT_TIMEOUT", "nobody answers"),
    ...[408, 425, 429, 500].map((httpStatus) => new McpError("MCP_CONNECT_FAILED", "busy", { httpStatus })),
  ])("is not rejected if the challenge fails temporarily: $code, $httpStatus", async (outage) => {
    expect(await askedAfter([[outage]])).toEqual([undefined]);
  });
});
