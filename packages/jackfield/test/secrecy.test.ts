import { inspect } from "node:util";
import { KnownCredentials, McpError, silentLogger } from "@jackfield/mcp-core";
import {
  createFakeConnector,
  createFakeSession,
  createFakeToolCache,
  useLeakCheck,
} from "@jackfield/test-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { entryAuthorization } from "../src/entry-authorization.ts";
import { type Mcp, openMcp } from "../src/index.ts";
import { createResolver } from "../src/open-mcp.ts";
import { scriptServer } from "./fixture.ts";

useLeakCheck();
afterEach(() => {
  vi.unstubAllEnvs();
});

const VALUES = {
  FLAVOUR_TOKEN: 'planted "first" value/+&%',
  API_KEY: "planted-second-value",
  PLACE_SECRET: "plantéd third valuë",
};

/** Every spelling in which a value must be redacted. */
function spellingsOf(value: string): readonly string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, encodeURIComponent(value), base64(value), base64(`user:${value}`)];
}
const PLANTED = Object.values(VALUES).flatMap(spellingsOf);
/** With the middle of those that may be embedded in a longer base64 text. */
const TELLING = [
  ...PLANTED,
  ...PLANTED.filter((text) => text.startsWith("dXNlcj")).map((text) => text.slice(8, -4)),
];
const leaks = (shown: unknown) => {
  const text =
    typeof shown === "string"
      ? shown
      : inspect(shown, { depth: 20, showHidden: true, maxStringLength: null });
  return TELLING.filter((spelling) => text.includes(spelling));
};

/** Collects the states that a runtime tells beside what it logs. */
function watched(mcp: Mcp, said: unknown[]): unknown[] {
  mcp.on("statusChanged", (event) => said.push(event));
  return said;
}

function stubValues(): void {
  for (const [name, value] of Object.entries(VALUES)) vi.stubEnv(name, value);
}

const REFERENCES = Object.keys(VALUES).map((name) => `\${${name}}`);

describe("a server's secret", () => {
  it("[threat T90] is redacted in all output of a server that prints it in every spelling", async () => {
    stubValues();
    const said: unknown[] = [];
    const script = `
      const values = process.argv.slice(1);
      for (const value of values) {
        const base64 = (text) => Buffer.from(text).toString("base64");
        for (const text of [value, JSON.stringify(value), encodeURIComponent(value), base64(value), base64("user:" + value)])
          console.error("token=" + text);
        console.log("noise " + value);
      }
      process.exit(3);`;
    const mcp = await openMcp({
      servers: { s: { ...scriptServer(script), args: ["-e", script, ...REFERENCES] } },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
      log: (...line) => said.push(line),
    });
    try {
      watched(mcp, said);
      said.push(mcp.report, mcp.servers(), mcp);
      said.push(await mcp.reconnect("s").catch((error: unknown) => error));
      said.push(await mcp.callTool({ server: "s", tool: "x" }).catch((error: unknown) => error));
      expect(leaks(said)).toEqual([]);
      // The server's own words are there, so there was something to redact.
      expect(inspect(said, { depth: 20 })).toContain("token=[redacted]");
    } finally {
      await mcp.close();
    }
  });

  it("[threat T90] is redacted in errors and logs of a custom connector", async () => {
    stubValues();
    const said: unknown[] = [];
    const session = createFakeSession({
      tools: [{ name: "echo", inputSchema: { type: "object" } }],
      answer: () => {
        throw new McpError("MCP_TOOL_REJECTED", `refused ${PLANTED.join(" ")}`, {
          server: "s",
          cause: new Error(PLANTED.join(" ")),
        });
      },
    });
    let attempts = 0;
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => {
        attempts += 1;
        const message = `cannot reach ${PLANTED.join(" ")}`;
        if (attempts === 1) attempt.fail(new McpError("MCP_CONNECT_FAILED", message, { stderr: message }));
        else attempt.open(session);
        attempt.options.log("warn", message, { nested: { list: PLANTED } });
      },
    });
    const mcp = await openMcp({
      servers: { s: { command: "x", args: REFERENCES } },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
      connect,
      log: (...line) => said.push(line),
    });
    try {
      watched(mcp, said);
      said.push(mcp.report, mcp.servers());
      expect(mcp.report.failed[0]?.error.message).toContain("cannot reach [redacted]");
      await mcp.reconnect("s");
      said.push(await mcp.callTool("mcp__s__echo").catch((error: unknown) => error));
      said.push(mcp, mcp.servers());
      expect(leaks(said)).toEqual([]);
      expect(inspect(said, { depth: 20 })).toContain("refused [redacted]");
    } finally {
      await mcp.close();
    }
  });

  it("is redacted in the errors of every view and user, and what the server says of itself passes unchanged", async () => {
    stubValues();
    const said: unknown[] = [];
    const instructions = `do ${PLANTED.join(" ")}`;
    const name = `of-${VALUES.API_KEY}`;
    const session = createFakeSession({
      handshake: { serverInfo: { name: VALUES.API_KEY, version: "1" }, instructions },
      tools: [
        {
          name,
          inputSchema: {
            type: "object",
            properties: { [VALUES.API_KEY]: { enum: [VALUES.API_KEY] } },
            required: ["a"],
          },
        },
        { name: "asked", inputSchema: { type: "object", required: [VALUES.API_KEY] } },
      ],
    });
    const cache = createFakeToolCache();
    const { connect } = createFakeConnector({ onAttempt: (attempt) => void attempt.open(session) });
    const servers = { s: { command: "x", args: REFERENCES } };
    const mcp = await openMcp({
      servers,
      discover: false,
      cache,
      connect,
      log: (...line) => said.push(line),
    });
    try {
      const heard: unknown[] = [];
      mcp.on("notification", (event) => heard.push(event));
      const user = await mcp.forPrincipal("ann");
      for (const source of [mcp, mcp.view({}), mcp.view({}).view({}), await mcp.viewFor({}), user]) {
        const error: unknown = await source
          .callTool({ server: "s", tool: "asked" }, {})
          .catch((thrown) => thrown);
        expect(error).toMatchObject({
          code: "MCP_ARGUMENTS_INVALID",
          message: expect.stringContaining("[redacted]"),
        });
        said.push(error, (error as McpError).message);
      }
      session.notify({ method: "notifications/message", params: { level: "info", data: { text: PLANTED } } });
      expect(leaks(said)).toEqual([]);
      expect(mcp.servers()).toMatchObject([{ instructions, serverInfo: { name: VALUES.API_KEY } }]);
      expect(mcp.tools().map(({ originalName }) => originalName)).toContain(name);
      expect(JSON.stringify(mcp.tools())).toContain(`{"enum":["${VALUES.API_KEY}"]}`);
      expect(heard).toMatchObject([{ params: { data: { text: PLANTED } } }]);
      // Neither of the users has an entry: it would put the credential on the disk.
      expect([...cache.entries.values()]).toEqual([]);
      expect(inspect(said, { depth: 9 })).toContain("is not stored in the catalog");
    } finally {
      await mcp.close();
    }
  });

  it("is nothing that was merely filled in: errors, tools and the catalog keep ordinary values", async () => {
    const ordinary = {
      STAGE: "production",
      COMMIT: "unknown",
      TYPE: "string",
      PROJECT: "tracker",
      FOLDER: "/home/ada/work",
    };
    for (const [name, value] of Object.entries(ordinary)) vi.stubEnv(name, value);
    const tool = {
      name: "deploy_to_production",
      inputSchema: {
        type: "object" as const,
        properties: { to: { type: "string", enum: ["production", "staging"] } },
      },
    };
    const session = createFakeSession({
      tools: [tool],
      answer: () => {
        throw new McpError("MCP_OUTCOME_UNKNOWN", "in /home/ada/work", {
          server: "tracker",
          tool: tool.name,
          outcome: "unknown",
        });
      },
    });
    const cache = createFakeToolCache();
    const { connect } = createFakeConnector({ onAttempt: (attempt) => void attempt.open(session) });
    const env = Object.fromEntries(Object.keys(ordinary).map((name) => [name, `\${${name}}`]));
    const said: unknown[] = [];
    const mcp = await openMcp({
      servers: { tracker: { command: "x", env: { ...env, API_KEY: "planted-key-1" } } },
      discover: false,
      cache,
      connect,
      log: (...line) => said.push(line),
    });
    try {
      const error: unknown = await mcp
        .callTool({ server: "tracker", tool: tool.name })
        .catch((thrown) => thrown);
      expect(error).toMatchObject({
        message: "in /home/ada/work",
        server: "tracker",
        tool: tool.name,
        outcome: "unknown",
      });
      await vi.waitFor(() => expect([...cache.entries.values()]).toMatchObject([{ tools: [tool] }]), {
        timeout: 60_000,
      });
      expect(inspect([said, mcp.servers()], { depth: 9 })).not.toContain("[redacted]");
    } finally {
      await mcp.close();
    }
  });

  it("of several lines is shown in no line, whatever the name of its variable", async () => {
    const line = "qL3sSecretLineOfTheKey9";
    vi.stubEnv("SIGNER", `-----BEGIN KEY-----\n${line}A\n${line}B\n-----END KEY-----`);
    const script = `console.log(process.env.K.split("\\n")[1]); console.error("cannot parse: " + process.env.K); process.exitCode = 1;`;
    const said: unknown[] = [];
    const mcp = await openMcp({
      servers: { s: { ...scriptServer(script), env: { K: "${SIGNER}" } } },
      discover: false,
      cache: false,
      retry: { maxRetries: 0 },
      log: (...entry) => said.push(entry),
    });
    try {
      said.push(mcp.report, mcp.servers(), JSON.stringify(mcp.servers()));
      expect(mcp.report.failed[0]?.error.stderr).toContain("cannot parse: [redacted]");
      expect(inspect(said, { depth: 20 })).not.toContain(line);
    } finally {
      await mcp.close();
    }
  });

  it("from an auth port is redacted with and without its scheme, even after many renewals", async () => {
    stubValues();
    const said: unknown[] = [];
    let attempted = async () => ({});
    const session = createFakeSession({ tools: [] });
    const { connect } = createFakeConnector({
      onAttempt: (attempt) => {
        const { auth } = attempt.options;
        attempted = async () => (await auth?.headers(attempt.server, attempt.options)) ?? {};
        attempt.open(session);
      },
    });
    let renewals = 0;
    const tokenNow = () => `token-number-${renewals}-of-the-port`;
    const auth = {
      headers: async () =>
        ({
          authorization: `Bearer ${tokenNow()}`,
          "x-other": ["other-value-of-the-port", "last-value-of-the-port"],
          "x-none": null,
        }) as never,
      onChallenge: async () => "fail" as const,
    };
    const servers = { s: { url: "http://127.0.0.1:9/", headers: { "x-key": "${API_KEY}" } } };
    const mcp = await openMcp({
      servers,
      discover: false,
      cache: false,
      connect,
      auth,
      log: (...line) => said.push(line),
    });
    try {
      watched(mcp, said);
      for (; renewals < 10; renewals += 1) await attempted();
      await attempted();
      const base64 = Buffer.from(tokenNow()).toString("base64");
      const data = `null heard ${tokenNow()} other-value-of-the-port ${VALUES.API_KEY} ${base64}`;
      session.lose(new McpError("MCP_SESSION_LOST", `refused Bearer ${tokenNow()}, ${data}`));
      said.push(mcp.servers(), mcp);
      expect(inspect(said, { depth: 20 })).toContain(
        "null heard [redacted] [redacted] [redacted] [redacted]",
      );
      expect(inspect(said, { depth: 20 })).toContain("refused [redacted]");
      expect(inspect(said, { depth: 20 })).not.toContain(tokenNow());
    } finally {
      await mcp.close();
    }
  });

  it("reaches its own server unchanged", async () => {
    stubValues();
    const { connect, attempts } = createFakeConnector({
      onAttempt: (attempt) => void attempt.open(createFakeSession({})),
    });
    await using _ = await openMcp({
      servers: { s: { command: "x", args: REFERENCES } },
      discover: false,
      cache: false,
      connect,
    });
    expect(attempts[0]?.server).toMatchObject({ args: Object.values(VALUES) });
  });
});

describe("reading an entry's OAuth settings repeatedly", () => {
  const { signal } = new AbortController();
  const TEXT = "the key planted-second-value";

  it("keeps the entry's secrets redacted", async () => {
    vi.stubEnv("API_KEY", VALUES.API_KEY);
    vi.stubEnv("CLIENT", "planted-client");
    vi.stubEnv("SECRET", "planted-secret");
    const definition = {
      name: "files",
      transport: "http",
      url: "https://files.example/mcp",
      headers: { "x-key": "${API_KEY}" },
      oauth: { clientId: "${CLIENT}", clientSecret: "${SECRET}" },
      definedIn: { scope: "user" },
    } as const;
    const credentials = new KnownCredentials();
    const search = { isAdmitted: () => true };
    const resolve = createResolver({}, { search, credentials, log: silentLogger });
    await resolve(definition, { signal });
    // As a runtime does that needs a login.
    for (let reading = 0; reading < 6; reading += 1) await entryAuthorization(definition, resolve, signal);
    expect(credentials.hideIn(`${TEXT}, planted-client, planted-secret`)).toBe(
      "the key [redacted], planted-client, [redacted]",
    );
  });
});
