import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, McpError } from "@jackfield/mcp-core";
import { createFakeConnector, createFakeSession, type FakeSession, useLeakCheck } from "@jackfield/test-kit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Mcp, openMcp } from "../src/index.ts";
import { createProjectFixture, type ProjectFixture } from "./project-fixture.ts";

useLeakCheck();

let user: ProjectFixture;
beforeEach(() => {
  user = createProjectFixture();
});
afterEach(() => user[Symbol.dispose]());

const refusal = (httpStatus: number | undefined, code: ErrorCode = "MCP_AUTH_REQUIRED") =>
  new McpError(code, "refused", { httpStatus, outcome: "rejected" });

/** Answers a tool call. */
type Answer = (tool: string) => unknown;

/** A server in oh-my-pi's user file. Each session takes the next of the answers; an McpError fails the attempt to connect. */
async function openedWith(headers: object, answers: readonly (Answer | McpError)[]) {
  const given: unknown[] = [];
  const sessions: FakeSession[] = [];
  const said: unknown[] = [];
  const { connect } = createFakeConnector({
    onAttempt: (attempt) => {
      const next = answers[given.length];
      given.push("headers" in attempt.server && attempt.server.headers);
      if (next instanceof McpError) return attempt.fail(next);
      const session = createFakeSession({
        tools: [{ name: "t", inputSchema: { type: "object" } }],
        answer: async (_method, { name }) => (await next?.(String(name))) ?? { content: [] },
      });
      sessions.push(session);
      attempt.open(session);
    },
  });
  user.writeFile(".omp/agent/mcp.json", {
    mcpServers: { s: { type: "http", url: "https://s.example", headers } },
  });
  const mcp = await openMcp({
    ...user.options,
    discover: { cwd: user.project, home: user.home, env: {}, hosts: ["omp"] },
    resolve: { runCommands: true },
    retry: { initialDelayMs: 1, maxRetries: 1 },
    connect,
    log: (level, message, fields) => void (message.includes("left out") && said.push([level, fields])),
  });
  return { mcp, given, sessions, said };
}

const call = (mcp: Mcp) => mcp.callTool({ server: "s", tool: "t" });
const write = (token: string) => writeFileSync(join(user.home, "token"), token);
const TOKEN = "!cat ../../token";

describe.skipIf(process.platform === "win32")(
  "a value printed by a command, when the server refuses it",
  () => {
    it("[A9] during a session is not sent again; the next session has a new value, with which the call is made", async () => {
      write("first");
      const { mcp, given, sessions } = await openedWith({ a: TOKEN }, [() => Promise.reject(refusal(401))]);
      await using _ = mcp;
      write("second");
      const changes: unknown[] = [];
      mcp.on("statusChanged", ({ snapshot: { status, error } }) => void changes.push([status, error?.code]));
      expect(await call(mcp)).toMatchObject({ content: [] });
      expect(given).toEqual([{ a: "first" }, { a: "second" }]);
      expect(changes[0]).toEqual(["backoff", "MCP_SESSION_LOST"]);
      expect(sessions.map(({ closed }) => closed)).toEqual([true, false]);
    });

    it("[A9] is not used by other calls while an accepted call finishes", async () => {
      write("first");
      const accepted = Promise.withResolvers<unknown>();
      const answers = [accepted.promise, Promise.reject(refusal(401))];
      answers[1]?.catch(() => {});
      const { mcp, given, sessions } = await openedWith({ a: TOKEN }, [() => answers.shift()]);
      await using _ = mcp;
      write("second");
      const [long, refused] = [call(mcp), call(mcp)];
      await expect(refused).rejects.toMatchObject({ httpStatus: 401 });
      await expect(call(mcp)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", outcome: "not-sent" });
      expect(sessions[0]?.requests).toHaveLength(2);
      accepted.resolve({ content: [{ type: "text", text: "done" }] });
      expect(await long).toMatchObject({ content: [{ text: "done" }] });
      await call(mcp);
      expect(given).toEqual([{ a: "first" }, { a: "second" }]);
    });

    it.each([401, undefined])("[A9] while connecting is not sent again (status %s)", async (status) => {
      write("first");
      const { mcp, given } = await openedWith({ a: TOKEN }, [refusal(status)]);
      await using _ = mcp;
      write("second");
      await mcp.reconnect("s");
      expect(given).toEqual([{ a: "first" }, { a: "second" }]);
    });

    it("[A9] is not sent again if authorization discovery failed", async () => {
      write("first");
      const { mcp, given } = await openedWith({ a: TOKEN }, [refusal(401, "MCP_CONNECT_FAILED")]);
      await using _ = mcp;
      write("second");
      await mcp.reconnect("s");
      expect(given).toEqual([{ a: "first" }, { a: "second" }]);
    });

    it("is left out with a warning that names only the header", async () => {
      write("first");
      const { mcp, given, said } = await openedWith({ a: TOKEN, b: "plain" }, [refusal(401)]);
      await using _ = mcp;
      expect(said).toEqual([]);
      await mcp.reconnect("s");
      await mcp.reconnect("s");
      expect(given.slice(1)).toEqual([{ b: "plain" }, { b: "plain" }]);
      expect(said).toEqual([["warn", { server: "s", names: ["a"] }]]);
    });
  },
);

it.skipIf(process.platform === "win32")("a value printed by a command is kept after a 403", async () => {
  write("first");
  const forbidden = () => Promise.reject(refusal(403));
  const { mcp, given, sessions } = await openedWith({ a: TOKEN }, [refusal(403), forbidden]);
  await using _ = mcp;
  await mcp.reconnect("s");
  await expect(call(mcp)).rejects.toMatchObject({ httpStatus: 403 });
  expect(sessions.map(({ closed }) => closed)).toEqual([false]);
  await mcp.reconnect("s");
  expect(given).toEqual([{ a: "first" }, { a: "first" }, { a: "first" }]);
});

it("a session of an entry without commands survives a 401", async () => {
  const refuse = () => Promise.reject(refusal(401));
  const { mcp, sessions } = await openedWith({ a: "plain" }, [refuse]);
  await using _ = mcp;
  for (let time = 0; time < 2; time += 1)
    await expect(call(mcp)).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED", httpStatus: 401 });
  expect(mcp.servers()).toMatchObject([{ status: "ready" }]);
  expect(sessions.map(({ closed }) => closed)).toEqual([false]);
});
