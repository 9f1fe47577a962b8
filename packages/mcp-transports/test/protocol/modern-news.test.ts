import type { ServerNotification } from "@jackfield/mcp-core";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { count, ECHO, never, open } from "../http/remote.ts";
import { received, type ScriptedServer, scriptedServer } from "../scripted-server.ts";

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};
const LISTS = { toolsListChanged: true, resourcesListChanged: true };

/** A modern server that grants what is asked for; `say` sends its arguments, and `end` ends every subscription. */
const telling = (): ScriptedServer =>
  scriptedServer(
    (message, { send, answer }) => {
      const key = "io.modelcontextprotocol/subscriptionId";
      const state = globalThis as { granted?: (number | string | undefined)[] };
      state.granted ??= [];
      if (message.method === "subscriptions/listen") {
        state.granted.push(message.id);
        const { notifications } = message.params;
        const params = { _meta: { [key]: message.id }, notifications };
        send({ method: "notifications/subscriptions/acknowledged", params });
        return true;
      }
      if (message.method !== "tools/call") return undefined;
      const { name, arguments: said } = message.params;
      for (const requestId of name === "end" ? state.granted : [])
        send({ method: "notifications/cancelled", params: { requestId } });
      if (name === "say") send(said);
      answer({ content: [] });
      return true;
    },
    { isModern: true, capabilities: CAPABILITIES },
  );

const filtersOf = (server: ScriptedServer) =>
  server
    .received()
    .filter(({ method }) => method === "subscriptions/listen")
    .map(({ params }) => params.notifications);

const methodsOf = (server: ScriptedServer) => server.received().map(({ method }) => method);

describe("changes on a modern server", () => {
  test("are subscribed to once and delivered as notifications", async () => {
    const server = telling();
    const session = await connect(server);
    const heard: ServerNotification[] = [];
    session.onNotification((notification) => heard.push(notification));
    const news = { method: "notifications/tools/list_changed" };
    await received(server, "subscriptions/listen");
    await session.request("tools/call", { name: "say", arguments: news });
    expect(heard).toEqual([expect.objectContaining(news)]);
    expect(filtersOf(server)).toEqual([LISTS]);
  });

  test("of a resource are added to the subscription, without resources/subscribe", async () => {
    const server = telling();
    const session = await connect(server);
    const heard: ServerNotification[] = [];
    session.onNotification((notification) => heard.push(notification));
    await received(server, "subscriptions/listen");
    expect(await session.request("resources/subscribe", { uri: "memo://a" })).toEqual({});
    expect(filtersOf(server)).toEqual([LISTS, { ...LISTS, resourceSubscriptions: ["memo://a"] }]);
    const news = { method: "notifications/resources/updated", params: { uri: "memo://a" } };
    await session.request("tools/call", { name: "say", arguments: news });
    expect(heard).toEqual([expect.objectContaining(news)]);
    expect(await session.request("resources/unsubscribe", { uri: "memo://a" })).toEqual({});
    expect(filtersOf(server)[2]).toEqual(LISTS);
    await vi.waitUntil(
      () => methodsOf(server).filter((method) => method === "notifications/cancelled").length === 2,
    );
    expect(methodsOf(server)).not.toContain("resources/subscribe");
  });

  test("are subscribed to again, with onRenewed, when the server ends the subscription", async () => {
    const server = telling();
    const session = await connect(server);
    await session.request("resources/subscribe", { uri: "memo://a" });
    const renewed = new Promise<void>((resolve) => session.onRenewed(resolve));
    await session.request("tools/call", { name: "end" });
    await renewed;
    expect(filtersOf(server).at(-1)).toEqual({ ...LISTS, resourceSubscriptions: ["memo://a"] });
  });

  test("that are not granted reject resources/subscribe, and the session goes on", async () => {
    const server = scriptedServer(
      (message, { send, refuse }) => {
        if (message.method !== "subscriptions/listen") return undefined;
        const { notifications } = message.params;
        const _meta = { "io.modelcontextprotocol/subscriptionId": message.id };
        const asksForRefused = notifications.resourceSubscriptions?.includes("memo://refused");
        const params = { _meta, notifications: { toolsListChanged: true } };
        if (asksForRefused) refuse(-32602, "Too many");
        else send({ method: "notifications/subscriptions/acknowledged", params });
        return true;
      },
      { isModern: true, capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
    );
    const session = await connect(server);
    const unheard = await failureOf(session.request("resources/subscribe", { uri: "memo://unheard" }));
    expect(unheard).toMatchObject({ code: "MCP_REQUEST_REJECTED", outcome: "rejected" });
    const refused = await failureOf(session.request("resources/subscribe", { uri: "memo://refused" }));
    expect(refused).toMatchObject({ code: "MCP_REQUEST_REJECTED", rpcCode: -32602 });
    expect((await session.list("tools", { signal: never })).items).toHaveLength(1);
  });

  test("are subscribed to again when the HTTP stream has ended", async () => {
    const { remote, session } = await open({
      era: "modern",
      on: { "subscriptions/listen": { endAfterMs: 0, times: 1 } },
    });
    await new Promise<void>((resolve) => session.onRenewed(resolve));
    expect(count(remote, "subscriptions/listen")).toBe(2);
    expect((await session.request("tools/call", ECHO)).content).toHaveLength(1);
    expect(remote.violations).toEqual([]);
  });
});

describe("the log level of a modern server", () => {
  test("is sent with every later request, without logging/setLevel", async () => {
    const server = telling();
    const session = await connect(server);
    await session.request("tools/call", { name: "first" });
    expect(await session.request("logging/setLevel", { level: "warning" })).toEqual({});
    await session.request("tools/call", { name: "second" }, { meta: { traceparent: "00-a-b-01" } });
    await session.list("tools", { signal: never });
    const key = "io.modelcontextprotocol/logLevel";
    const told = server.received().filter(({ method }) => method?.startsWith("tools/"));
    expect(told.map(({ params }) => params._meta[key])).toEqual([undefined, "warning", "warning"]);
    expect(told[1]?.params._meta.traceparent).toBe("00-a-b-01");
    expect(methodsOf(server)).not.toContain("logging/setLevel");
  });
});
