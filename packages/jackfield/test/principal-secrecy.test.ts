import { setImmediate as nextTurn } from "node:timers/promises";
import { KnownCredentials, McpError, type ResolveServer } from "@jackfield/mcp-core";
import { createFakeConnector, createFakeSession, type FakeSession, useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, vi } from "vitest";
import { type OpenMcpOptions, openMcp } from "../src/index.ts";

useLeakCheck();

const USERS = Array.from({ length: 10 }, (_, at) => `user-${at}`);
const tokenOf = (principal: string | undefined) => `planted-token-of-${principal}`;
const LEAK = /planted-token/;

const resolve: ResolveServer = async ({ name }, { principal }) => {
  const token = tokenOf(principal);
  const headers = { authorization: `Bearer ${token}` };
  return { name, transport: "http", url: "https://mail.example/mcp", headers, secrets: [token] };
};

/** A runtime with fake sessions, by user. */
async function runtime(options: OpenMcpOptions = {}) {
  const sessions = new Map<string | undefined, FakeSession>();
  const attempts: (string | undefined)[] = [];
  const { connect } = createFakeConnector({
    onAttempt: (attempt) => {
      const { principal } = attempt.options;
      attempts.push(principal);
      sessions.set(principal, attempt.open(createFakeSession({ tools: [] })));
    },
  });
  const logged: string[] = [];
  const mcp = await openMcp({
    servers: { mail: { url: "https://mail.example/mcp" } },
    discover: false,
    cache: false,
    connect,
    resolve,
    log: (...entry) => logged.push(JSON.stringify(entry)),
    ...options,
  });
  return { mcp, sessions, attempts, logged };
}

/** What a runtime logs when one of its servers is lost with this message. */
function logOf(message: string, session: FakeSession | undefined, logged: readonly string[]): string {
  const before = logged.length;
  session?.lose(new McpError("MCP_SESSION_LOST", message));
  return logged.slice(before).join("\n");
}

describe("a user's secret in a runtime with many users", () => {
  it("is in no error, log line or state of any other user", async () => {
    const { mcp, sessions, attempts, logged } = await runtime();
    try {
      const users = await Promise.all(USERS.map((user) => mcp.forPrincipal(user)));
      expect(attempts).toEqual([undefined, ...USERS]);
      for (const principal of [undefined, ...USERS]) {
        const message = `Refused ${tokenOf(principal)} and ${tokenOf(USERS[0])}.`;
        sessions
          .get(principal)
          ?.lose(new McpError("MCP_SESSION_LOST", message, { cause: new Error(message) }));
      }
      for (const source of [mcp, ...users])
        expect(source.servers()).toMatchObject([
          { error: { message: "Refused [redacted] and [redacted]." } },
        ]);
      expect(logged.join("\n")).toContain("Refused [redacted]");
      expect(logged.join("\n")).not.toMatch(LEAK);
    } finally {
      await mcp.close();
    }
  });

  it("is in no error, snapshot or log line", async () => {
    const { mcp, sessions, logged } = await runtime();
    try {
      const ann = await mcp.forPrincipal("ann");
      sessions.get("ann")?.lose(new McpError("MCP_SESSION_LOST", `Refused ${tokenOf("ann")}.`));
      expect(ann.servers()).toMatchObject([{ status: "backoff", error: { code: "MCP_SESSION_LOST" } }]);
      expect(JSON.stringify(ann.servers())).not.toMatch(LEAK);
      expect(logged.join("\n")).toContain("Refused");
      expect(logged.join("\n")).not.toMatch(LEAK);
    } finally {
      await mcp.close();
    }
  });

  it("is redacted with the default resolver, too, after other users got theirs", async () => {
    const sessions = new Map<string | undefined, FakeSession>();
    const { connect } = createFakeConnector({
      onAttempt: (attempt) =>
        void sessions.set(attempt.options.principal, attempt.open(createFakeSession({ tools: [] }))),
    });
    const headers = { authorization: "Bearer ${JACKFIELD_TEST_TOKEN}" };
    const servers = { mail: { url: "https://mail.example/mcp", headers } };
    const mcp = await openMcp({ servers, discover: false, cache: false, connect });
    try {
      const users: Awaited<ReturnType<typeof mcp.forPrincipal>>[] = [];
      for (const user of USERS) {
        vi.stubEnv("JACKFIELD_TEST_TOKEN", tokenOf(user));
        users.push(await mcp.forPrincipal(user));
      }
      for (const [at, user] of USERS.entries()) {
        sessions.get(user)?.lose(new McpError("MCP_SESSION_LOST", `Refused ${tokenOf(user)}.`));
        expect(users[at]?.servers()).toMatchObject([{ error: { message: "Refused [redacted]." } }]);
      }
    } finally {
      vi.unstubAllEnvs();
      await mcp.close();
    }
  });

  const resolveFor = (known: KnownCredentials, principal: string) =>
    known.recording(resolve)({ name: "mail" } as never, { signal: new AbortController().signal, principal });

  it("is forgotten when the last user of that name has left", async () => {
    const known = new KnownCredentials();
    const leave = [known.admit("ann"), known.admit("ann")];
    known.admit("bob");
    await resolveFor(known, "ann");
    await resolveFor(known, "bob");
    const shown = () => known.hideIn([tokenOf("ann"), tokenOf("bob")]);
    leave[0]?.();
    leave[0]?.();
    expect(shown()).toEqual(["[redacted]", "[redacted]"]);
    leave[1]?.();
    expect(shown()).toEqual([tokenOf("ann"), "[redacted]"]);
  });

  it("leaves nothing behind, however many users have come and gone", async () => {
    const known = new KnownCredentials();
    const error = new Error(tokenOf("user-9999"));
    for (let at = 0; at < 10_000; at += 1) {
      const leave = known.admit(`user-${at}`);
      await resolveFor(known, `user-${at}`);
      if (at % 1_000 === 0) expect(known.hideIn(tokenOf(`user-${at}`))).toBe("[redacted]");
      leave();
    }
    // Without anything to hide, nothing is searched.
    expect(known.hideIn(error)).toBe(error);
  });

  it("is forgotten when `await using` closes the user's runtime", async () => {
    const { mcp, sessions, logged } = await runtime();
    try {
      await (async () => {
        await using _ann = await mcp.forPrincipal("ann");
      })();
      expect(logOf(tokenOf("ann"), sessions.get(undefined), logged)).toContain(tokenOf("ann"));
    } finally {
      await mcp.close();
    }
  });

  it("is forgotten when the user's start is aborted", async () => {
    const own = createFakeSession({ tools: [] });
    const giveUp = new AbortController();
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => {
        if (attempt.options.principal === undefined) attempt.open(own);
        else giveUp.abort();
      },
    });
    const { mcp, logged } = await runtime({ connect });
    try {
      const joining = mcp.forPrincipal("ann", { signal: giveUp.signal });
      await expect(joining).rejects.toMatchObject({ code: "MCP_ABORTED" });
      expect(logOf(tokenOf("ann"), own, logged)).toContain(tokenOf("ann"));
    } finally {
      await mcp.close();
    }
  });

  it("is not remembered if the resolver ends after the user has left", async () => {
    const asked = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const { mcp, sessions, logged } = await runtime({
      resolve: async (definition, options) => {
        if (options.principal !== undefined) {
          asked.resolve();
          await slow.promise;
        }
        return resolve(definition, options);
      },
    });
    try {
      const giveUp = new AbortController();
      const joining = mcp.forPrincipal("ann", { signal: giveUp.signal });
      await asked.promise;
      giveUp.abort();
      await expect(joining).rejects.toMatchObject({ code: "MCP_ABORTED" });
      slow.resolve();
      await nextTurn();
      expect(logOf(tokenOf("ann"), sessions.get(undefined), logged)).toContain(tokenOf("ann"));
    } finally {
      await mcp.close();
    }
  });

  it("stays redacted while the runtime of the same principal is open", async () => {
    const { mcp, logged, sessions } = await runtime({ principal: "ann" });
    try {
      await (await mcp.forPrincipal("bob")).close();
      await (await mcp.forPrincipal("ann")).close();
      await mcp.reconnect("mail");
      const heard = logOf(`${tokenOf("ann")} and ${tokenOf("bob")}`, sessions.get("ann"), logged);
      expect(heard).toContain(`[redacted] and ${tokenOf("bob")}`);
      expect(logged.join()).not.toContain(tokenOf("ann"));
    } finally {
      await mcp.close();
    }
  });

  it("is resolved again only for the user whose secret the server refused", async () => {
    const resolutions: string[] = [];
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => {
        const { principal } = attempt.options;
        const isFirst = resolutions.filter((one) => one.startsWith(`${principal} `)).length === 1;
        if (principal === "ann" && isFirst)
          attempt.fail(new McpError("MCP_CONNECT_FAILED", "401", { httpStatus: 401 }));
        else attempt.open(createFakeSession({ tools: [] }));
      },
    });
    const mcp = await openMcp({
      servers: { mail: { url: "https://mail.example/mcp" } },
      discover: false,
      cache: false,
      connect,
      resolve: (definition, options) => {
        resolutions.push(`${options.principal} ${options.rejected === true}`);
        return resolve(definition, options);
      },
      retry: { initialDelayMs: 0, jitter: "none" },
    });
    try {
      const ann = await mcp.forPrincipal("ann");
      await mcp.forPrincipal("bob");
      await ann.reconnect("mail");
      expect(resolutions.filter((one) => one.endsWith("true"))).toEqual(["ann true"]);
    } finally {
      await mcp.close();
    }
  });
});
