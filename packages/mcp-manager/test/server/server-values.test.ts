import {
  type AuthPort,
  type CatalogEntry,
  KnownCredentials,
  McpError,
  type ResolveServer,
  silentLogger,
} from "@jackfield/mcp-core";
import { createFakeSession } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { ServerValues } from "../../src/server/server-values.ts";

describe("a value, after a 401", () => {
  const refused = new McpError("MCP_AUTH_REQUIRED", "refused", { httpStatus: 401 });
  const definition = {
    name: "s",
    transport: "http",
    url: "https://s.example",
    headers: { a: "!print" },
    definedIn: { scope: "user" },
  } as const;

  /** What the resolver is told after these attempts. Each attempt ends as its last challenge does. */
  async function askedAfter(attempts: readonly (readonly (McpError | "retry")[])[]) {
    const asked: unknown[] = [];
    const { signal } = new AbortController();
    const log = () => {};
    let answers: readonly (McpError | "retry")[] = [];
    const { resolve, connect } = new ServerValues({
      async resolve({ name }, { rejected, doubted }) {
        asked.push(rejected ? "rejected" : doubted ? "doubted" : undefined);
        return { name, transport: "http", url: "https://s.example", headers: { a: "x" }, secrets: [] };
      },
      async connect(server, { auth }) {
        let end: unknown;
        for (const _ of answers) {
          const met = auth?.onChallenge(server, { status: 401 }, { signal });
          // The server refuses even after the challenge was met.
          end = await met?.then(
            () => refused,
            (error: unknown) => error,
          );
        }
        throw end;
      },
      credentials: new KnownCredentials(),
      log,
    });
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
    expect(await askedAfter([[refused], [passing]])).toEqual(["rejected"]);
    expect(await askedAfter([[passing], [refused]])).toEqual(["rejected"]);
    expect(await askedAfter([[passing, "retry"]])).toEqual(["rejected"]);
    expect(await askedAfter([[passing], [passing]])).toEqual(["doubted"]);
  });

  it.each([
    new McpError("MCP_PROTOCOL_VIOLATED", "compressed", { httpStatus: 200 }),
    new McpError("MCP_PROTOCOL_VIOLATED", "none"),
    new McpError("MCP_CONNECT_FAILED", "to no place", { httpStatus: 302 }),
    new McpError("MCP_CONNECT_FAILED", "guarded", { httpStatus: 401 }),
  ])("is rejected if the challenge fails permanently: $code, $message", async (lasting) => {
    expect(await askedAfter([[lasting]])).toEqual(["rejected"]);
  });

  it.each([
    new McpError("MCP_CONNECT_FAILED", "nobody is there"),
    new McpError("MCP_CONNECT_TIMEOUT", "nobody answers"),
    ...[408, 425, 429, 500].map((httpStatus) => new McpError("MCP_CONNECT_FAILED", "busy", { httpStatus })),
  ])("is doubted if the challenge fails temporarily: $code, $httpStatus", async (outage) => {
    expect(await askedAfter([[outage]])).toEqual(["doubted"]);
  });
});

describe("a catalog entry of thousands of tools", () => {
  const description = "Reads what it is told to read. ".repeat(40);
  const entryWith = (last: string): CatalogEntry => ({
    server: "s",
    credentials: "hash",
    listedAt: 1,
    tools: Array.from({ length: 5_000 }, (_, index) => ({
      name: `read_${index}`,
      description: index < 4_999 ? description : last,
      inputSchema: { type: "object" },
    })),
  });
  const values = () => {
    const credentials = new KnownCredentials();
    credentials.record(undefined, ["s"], ["planted-secret-of-s"]);
    const resolve: ResolveServer = () => Promise.reject(new Error("unused"));
    return new ServerValues({
      resolve,
      connect: async () => createFakeSession(),
      credentials,
      log: silentLogger,
    });
  };

  it("is searched for credentials in slices, between which timers run", async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    expect(await values().mayStore(entryWith(description))).toBe(true);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
  });

  it("is not stored if the last of them repeats one", async () => {
    expect(await values().mayStore(entryWith("Use planted-secret-of-s."))).toBe(false);
  });
});
