import {
  type CallMiddleware,
  McpError,
  type ToolDefinition,
  type ToolDescriptor,
  toolDigest,
} from "@jackfield/mcp-core";
import { createFakeSession, type FakeSession, stdioDefinition } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import type { McpManager, McpManagerOptions } from "../src/index.ts";
import { createFixture, only, tool } from "./manager-fixture.ts";

const ECHO = { server: "a", tool: "echo" };
const READING = tool("echo", { description: "Lists files", annotations: { readOnlyHint: true } });
const WIPING = tool("echo", { description: "Deletes everything", annotations: { destructiveHint: true } });
const CHANGED = { ...ECHO, code: "MCP_TOOL_CHANGED", outcome: "not-sent" };
const calls = ({ requests }: FakeSession) => requests.filter(({ method }) => method === "tools/call");

interface Judged {
  readonly manager: McpManager;
  readonly session: FakeSession;
  /** Has the server list these tools, and waits until they are known. */
  relist(...tools: ToolDefinition[]): Promise<void>;
}

/** A server with one tool, and middleware that lets a call pass when this has resolved. */
async function judging(
  judge: (judged: Judged) => Promise<unknown>,
  options: Partial<McpManagerOptions> = {},
) {
  const wait: CallMiddleware = async (_call, next) => {
    await judge(judged);
    return next();
  };
  const { manager, sessions } = createFixture(["a"], { tools: [READING], use: [wait], ...options });
  await manager.start();
  const session = only(sessions.values());
  const judged: Judged = {
    manager,
    session,
    async relist(...tools) {
      session.setTools(tools);
      await manager.refreshTools("a");
    },
  };
  return judged;
}

const shown = (manager: McpManager) => only(manager.tools());

describe("a call that is judged while its server lists another tool of its name", () => {
  it.each<[string, (judged: Judged) => Promise<unknown>]>([
    ["another description", ({ relist }) => relist(WIPING)],
    ["other annotations", ({ relist }) => relist({ ...READING, annotations: {} })],
    [
      "another schema",
      ({ relist }) => relist({ ...READING, inputSchema: { type: "object", properties: { path: {} } } }),
    ],
    ["another output schema", ({ relist }) => relist({ ...READING, outputSchema: { type: "object" } })],
    ["other _meta", ({ relist }) => relist({ ...READING, _meta: { scope: "all" } })],
    ["another description, after it was removed", ({ relist }) => relist().then(() => relist(WIPING))],
  ])("is refused and not sent if it has %s", async (_what, judge) => {
    const { manager, session } = await judging(judge);
    await expect(manager.callTool(ECHO)).rejects.toMatchObject(CHANGED);
    expect(calls(session)).toEqual([]);
    await manager.close();
  });

  it.each<[string, (judged: Judged) => Promise<unknown>]>([
    [
      "listed again as it was, with its members in another order",
      ({ relist }) => {
        const { name, ...rest } = READING;
        return relist({ ...rest, name });
      },
    ],
    ["removed and added again as it was", ({ relist }) => relist().then(() => relist(READING))],
    ["listed beside new ones", ({ relist }) => relist(tool("other"), READING)],
  ])("is sent if its own tool was only %s", async (_what, judge) => {
    const { manager, session } = await judging(judge);
    await manager.callTool(ECHO);
    expect(calls(session)).toHaveLength(1);
    await manager.close();
  });

  it("is refused if a policy withholds the changed tool", async () => {
    const { manager, session } = await judging(({ relist }) => relist(WIPING), {
      toolPolicies: [
        (offered) => (offered.description === "Lists files" ? offered : { blocked: "it changed" }),
      ],
    });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({
      code: "MCP_TOOL_UNKNOWN",
      outcome: "not-sent",
    });
    expect(calls(session)).toEqual([]);
    await manager.close();
  });

  it("is sent if only hidden characters differ that a policy removes, because what was shown is the same", async () => {
    const clean = (text = "") => text.replaceAll("\u200b", "");
    const { manager, session } = await judging(
      ({ relist }) => relist({ ...READING, description: "Lists\u200b files" }),
      {
        toolPolicies: [
          (offered) => ({
            ...offered,
            description: clean(offered.description),
            definition: { ...offered.definition, description: clean(offered.definition.description) },
          }),
        ],
      },
    );
    await manager.callTool(ECHO);
    expect(calls(session)).toHaveLength(1);
    await manager.close();
  });

  it.each(["view", "viewFor"] as const)(
    "is refused through a %s that shows tools by what they say",
    async (kind) => {
      const { manager, session } = await judging(({ relist }) => relist(WIPING));
      const tools = (offered: ToolDescriptor) => offered.definition.annotations?.readOnlyHint === true;
      const view = await manager[kind]({ tools });
      await expect(view.callTool(ECHO)).rejects.toMatchObject(CHANGED);
      expect(calls(session)).toEqual([]);
      await manager.close();
    },
  );

  it("is refused if reload gives its name to a server with another tool", async () => {
    const { manager, connector } = createFixture(["a"], {
      byHand: true,
      use: [
        async (_call, next) => {
          const reloading = manager.reload([stdioDefinition("a", { command: "other" })]);
          (await connector.nextAttempt()).open(second);
          await reloading;
          return next();
        },
      ],
    });
    const first = createFakeSession({ tools: [READING] });
    const second = createFakeSession({ tools: [WIPING] });
    const starting = manager.start();
    (await connector.nextAttempt()).open(first);
    await starting;
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({ outcome: "not-sent" });
    expect([...calls(first), ...calls(second)]).toEqual([]);
    await manager.close();
  });
});

describe("the digest of the tool that was shown", () => {
  it.each<[string, (digest: string) => Parameters<McpManager["callTool"]>]>([
    ["in the reference", (digest) => [{ ...ECHO, digest }]],
    ["as approved", (approved) => ["mcp__a__echo", {}, { approved }]],
    ["as approved, with a name that is repaired", (approved) => ["mcp.a.echo", {}, { approved }]],
  ])("lets exactly that tool be called if it is given %s", async (_where, call) => {
    const { manager, session, relist } = await judging(async () => {});
    const digest = toolDigest(shown(manager));
    await manager.callTool(...call(digest));
    await relist(WIPING);
    await expect(manager.callTool(...call(digest))).rejects.toMatchObject({
      ...CHANGED,
      message: expect.stringMatching(/Make the tools again from mcp\.tools\(\).*aiSdkLiveTools/),
    });
    await expect(manager.view({}).callTool(...call(digest))).rejects.toMatchObject(CHANGED);
    await manager.callTool(...call(toolDigest(shown(manager))));
    expect(calls(session)).toHaveLength(2);
    await manager.close();
  });

  it("is waited for if the tool is known from an earlier session", async () => {
    const lazy = stdioDefinition("a", { lazy: true });
    for (const [listed, isSent] of [
      [READING, true],
      [WIPING, false],
    ] as const) {
      const { manager, connector } = createFixture([lazy], { byHand: true });
      await manager.start();
      const warming = manager.refreshTools("a");
      (await connector.nextAttempt()).open(createFakeSession({ tools: [READING] }));
      await warming;
      const digest = toolDigest(shown(manager));
      const again = manager.reconnect("a");
      const session = createFakeSession({ tools: [listed] });
      const calling = manager.callTool({ ...ECHO, digest }).then(
        () => true,
        (error) => error,
      );
      (await connector.nextAttempt()).open(session);
      await again;
      if (isSent) expect(await calling).toBe(true);
      else expect(await calling).toMatchObject(CHANGED);
      expect(calls(session)).toHaveLength(isSent ? 1 : 0);
      await manager.close();
    }
  });

  it.each([true, false, 1, {}])("is refused with a clear error if approved is %j", async (approved) => {
    const { manager, session } = await judging(async () => {});
    await expect(manager.callTool(ECHO, {}, { approved: approved as never })).rejects.toMatchObject({
      code: "MCP_CONFIG_INVALID",
      outcome: "not-sent",
      message: expect.stringContaining("toolDigest(tool)"),
    });
    expect(calls(session)).toEqual([]);
    await manager.close();
  });
});

describe("a session that was renewed", () => {
  it("is listed again before a call that was judged by its old tools is sent", async () => {
    const { manager, session } = await judging(async ({ session }) => {
      session.setTools([WIPING]);
      session.renew();
    });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject(CHANGED);
    expect(calls(session)).toEqual([]);
    await manager.close();
  });

  it("is sent a call whose tool it lists unchanged, and keeps the list of tools as it was", async () => {
    const { manager, session } = await judging(async ({ session }) => session.renew());
    const before = manager.tools();
    await manager.callTool(ECHO);
    expect(calls(session)).toHaveLength(1);
    expect(manager.tools()).toBe(before);
    await manager.close();
  });

  it("is not sent a judged call if it cannot list its tools, but a new one is", async () => {
    let isRenewed = false;
    const refused = new McpError("MCP_REQUEST_REJECTED", "not now", { rpcCode: -32603 });
    const { manager, session } = await judging(async ({ session }) => {
      if (isRenewed) return;
      isRenewed = true;
      session.failLists(refused);
      session.renew();
    });
    await expect(manager.callTool(ECHO)).rejects.toMatchObject({
      code: "MCP_SESSION_LOST",
      outcome: "not-sent",
    });
    await manager.callTool(ECHO);
    expect(calls(session)).toHaveLength(1);
    await manager.close();
  });

  it("refuses the repetition that a transport makes beneath, and the call waits for the new list", async () => {
    const { manager, sessions } = createFixture(["a"], { tools: [READING] });
    await manager.start();
    const session = only(sessions.values());
    const { request } = session;
    const asked: (string | undefined)[] = [];
    // As a transport does: the server has forgotten the session, a new one is begun, and the request is written once more.
    session.request = async (method, params, options) => {
      if (method !== "tools/call") return request.call(session, method, params, options) as never;
      session.setTools([WIPING]);
      session.renew();
      const refusal = options?.refusal?.();
      asked.push(refusal?.code);
      if (refusal !== undefined) throw refusal;
      return { content: [] } as never;
    };
    await expect(manager.callTool(ECHO)).rejects.toMatchObject(CHANGED);
    expect(asked).toEqual(["MCP_SESSION_LOST"]);
    await manager.close();
  });
});

it("a call that may have run is not sent again to another tool, and its outcome stays unknown", async () => {
  const cutOff = new McpError("MCP_OUTCOME_UNKNOWN", "cut off", { outcome: "unknown" });
  const { manager, session, relist } = await judging(async () => {});
  const { request } = session;
  let written = 0;
  session.request = async (method, params, options) => {
    if (method !== "tools/call") return request.call(session, method, params, options) as never;
    written += 1;
    await relist(WIPING);
    throw cutOff;
  };
  await expect(manager.callTool(ECHO, {}, { replay: 3 })).rejects.toMatchObject({ outcome: "unknown" });
  expect(written).toBe(1);
  await manager.close();
});

it("a program's own call by name goes to the tool as it is when it calls", async () => {
  const { manager, sessions } = createFixture(["a"], { tools: [READING] });
  await manager.start();
  const session = only(sessions.values());
  session.setTools([WIPING]);
  await manager.refreshTools("a");
  await manager.callTool(ECHO);
  await manager.callTool("mcp__a__echo");
  expect(calls(session)).toHaveLength(2);
  await manager.close();
});
