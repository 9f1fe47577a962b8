import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { type Script, scriptedServer } from "../scripted-server.ts";

const never = { signal: new AbortController().signal };

describe("listing", () => {
  test("joins all pages into one list and keeps unknown fields", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list") return undefined;
      const page = Number(message.params?.cursor ?? 0);
      const inputSchema = { type: "object", "x-page": page };
      answer({
        tools: [
          {
            name: `tool${page}`,
            inputSchema,
            annotations: { readOnlyHint: true, "x-cost": 3 },
            "x-page": page,
          },
        ],
        ...(page < 2 && { nextCursor: String(page + 1) }),
        ...(page === 0 && { ttlMs: 5000, cacheScope: "public" }),
      });
      return true;
    });
    const listing = await (await connect(server)).list("tools", never);
    expect(listing).toEqual({
      items: [0, 1, 2].map((page) => ({
        name: `tool${page}`,
        inputSchema: { type: "object", "x-page": page },
        annotations: { readOnlyHint: true, "x-cost": 3 },
        "x-page": page,
      })),
      ttlMs: 5000,
      cacheScope: "public",
    });
  });

  describe("[T87] pages that together exceed twice the message limit", () => {
    const SAID = 100_000;
    const verbose: Script = (message, { answer, process }) => {
      if (message.method !== "tools/list") return undefined;
      const page = Number(message.params?.cursor ?? 0);
      const description = "x".repeat(Number(process.env.SAID));
      const tools = [{ name: `t${page}`, description, inputSchema: { type: "object" } }];
      answer({ tools, ...(page < 9 && { nextCursor: String(page + 1) }) });
      return true;
    };
    const listWith = async (maxMessageBytes: number) => {
      const server = scriptedServer(verbose, { env: { SAID: String(SAID) }, limits: { maxMessageBytes } });
      const session = await connect(server);
      const pages = () => server.received().filter(({ method }) => method === "tools/list").length;
      return { session, pages, listed: session.list("tools", never) };
    };

    test("fail the listing at that limit, and the session goes on", async () => {
      const { session, pages, listed } = await listWith(2 * SAID);
      const error = await failureOf(listed);
      expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "list", server: "scripted" });
      expect(error.message).toContain('400000 bytes on the pages of "tools/list"');
      expect(error.message).toContain('"maxMessageBytes"');
      expect(pages()).toBe(4);
      expect(await session.request("ping", undefined)).toEqual({});
    });

    test.each([10 * SAID, 0])("are listed completely with maxMessageBytes %d", async (maxMessageBytes) => {
      const { listed } = await listWith(maxMessageBytes);
      expect((await listed).items).toHaveLength(10);
    });
  });

  describe("a list that is longer than a client can use", () => {
    /** One page of 130,000 items; the names tell their places. */
    const crowded: Script = (message, { answer, send, process }) => {
      const [, kind] = /^(tools|resources|prompts)\/list$/.exec(message.method ?? "") ?? [];
      const isTemplates = message.method === "resources/templates/list";
      if (kind === undefined && !isTemplates) return undefined;
      const item = JSON.parse(process.env.ITEM ?? "{}");
      const items = Array.from({ length: 130_000 }, (_, index) => ({ name: `t${index}`, ...item }));
      const result = { [isTemplates ? "resourceTemplates" : (kind ?? "")]: items };
      if (process.env.MODERN) send({ id: message.id, result: { resultType: "complete", ...result } });
      else answer(result);
      return true;
    };
    const OBJECT = { inputSchema: { type: "object" } };

    test.each([
      ["plain tools", OBJECT],
      ["tools that have to be repaired", { inputSchema: {} }],
      ["tools that need the SDK's check", { ...OBJECT, icons: [{ src: "data:,", theme: "light" }] }],
    ])("gives its first 5,000 items: %s", async (_, item) => {
      const server = scriptedServer(crowded, { env: { ITEM: JSON.stringify(item) } });
      const { items, isCut } = await (await connect(server)).list("tools", never);
      expect(items).toHaveLength(5_000);
      expect(items.at(-1)?.name).toBe("t4999");
      expect(isCut).toBe(true);
    });

    test.each([
      [7, 7, true],
      [0, 130_000, undefined],
    ])("gives as many tools as maxTools says: %d", async (maxTools, length, cut) => {
      const server = scriptedServer(crowded, {
        env: { ITEM: JSON.stringify(OBJECT) },
        limits: { maxTools },
      });
      const { items, isCut } = await (await connect(server)).list("tools", never);
      expect(items).toHaveLength(length);
      expect(items.at(-1)?.name).toBe(`t${length - 1}`);
      expect(isCut).toBe(cut);
    });

    test.each([
      ["resources", { uri: "memo://a" }],
      ["resourceTemplates", { uriTemplate: "memo://{a}" }],
      ["prompts", {}],
    ] as const)("gives 20,000 %s, whatever maxTools says", async (kind, item) => {
      const server = scriptedServer(crowded, {
        capabilities: { resources: {}, prompts: {} },
        env: { ITEM: JSON.stringify(item) },
        limits: { maxTools: 7 },
      });
      const { items, isCut } = await (await connect(server)).list(kind, never);
      expect(items).toHaveLength(20_000);
      expect(isCut).toBe(true);
    });

    test("is cut in the modern era as well", async () => {
      const server = scriptedServer(crowded, {
        isModern: true,
        env: { ITEM: JSON.stringify(OBJECT), MODERN: "1" },
      });
      expect((await (await connect(server)).list("tools", never)).items).toHaveLength(5_000);
    });

    test.each([
      [10, 4, true],
      [12, 4, true],
      [39, 13, true],
      [40, 14, true],
    ])("has no page requested beyond maxTools %d, of pages of three", async (maxTools, pages, cut) => {
      const server = scriptedServer(
        (message, { answer }) => {
          if (message.method !== "tools/list") return undefined;
          const page = Number(message.params?.cursor ?? 0);
          const inputSchema = { type: "object" };
          const tools = [0, 1, 2].map((item) => ({ name: `t${page * 3 + item}`, inputSchema }));
          answer({ tools, nextCursor: String(page + 1) });
          return true;
        },
        { limits: { maxTools } },
      );
      const { items, isCut } = await (await connect(server)).list("tools", never);
      expect(items.map(({ name }) => name)).toEqual(Array.from({ length: maxTools }, (_, at) => `t${at}`));
      expect(isCut).toBe(cut);
      expect(server.received().filter(({ method }) => method === "tools/list")).toHaveLength(pages);
    });

    test("is whole if it has exactly as many tools as maxTools", async () => {
      const tools = ["a", "b"].map((name) => ({ name, ...OBJECT }));
      const server = scriptedServer(
        (message, { answer, process }) => {
          if (message.method !== "tools/list") return undefined;
          answer({ tools: JSON.parse(process.env.TOOLS ?? "") });
          return true;
        },
        { env: { TOOLS: JSON.stringify(tools) }, limits: { maxTools: 2 } },
      );
      const listing = await (await connect(server)).list("tools", never);
      expect(listing).toMatchObject({ items: tools });
      expect(listing.isCut).toBeUndefined();
    });
  });

  test.each([
    ["plain", {}],
    ["needing the SDK's check", { annotations: { lastModified: "2026-07-28T00:00:00Z" } }],
  ])("accepts a modern server's list without ttlMs: %s", async (_, more) => {
    const server = scriptedServer(
      (message, { send, process }) => {
        if (message.method !== "resources/list") return undefined;
        const resources = [{ uri: "memo://a", name: "a", ...JSON.parse(process.env.MORE ?? "{}") }];
        send({ id: message.id, result: { resultType: "complete", resources } });
        return true;
      },
      { isModern: true, capabilities: { resources: {} }, env: { MORE: JSON.stringify(more) } },
    );
    expect((await (await connect(server)).list("resources", never)).items).toHaveLength(1);
  });

  test("asks the server every time, even within ttlMs", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list") return undefined;
      answer({ tools: [], ttlMs: 3_600_000, cacheScope: "public" });
      return true;
    });
    const session = await connect(server);
    await session.list("tools", never);
    await session.list("tools", never);
    expect(server.received().filter(({ method }) => method === "tools/list")).toHaveLength(2);
  });

  test("returns an empty list, without a request, if the server declares no capability", async () => {
    const server = scriptedServer(undefined, { capabilities: {} });
    const session = await connect(server);
    for (const kind of ["tools", "resources", "resourceTemplates", "prompts"] as const)
      expect(await session.list(kind, never)).toEqual({ items: [] });
    expect(server.received().filter(({ method }) => method?.endsWith("/list"))).toEqual([]);
  });

  test("asks once per session for resource templates if the server has none", async () => {
    const server = scriptedServer();
    const session = await connect(server);
    for (const _ of [1, 2]) {
      expect(await session.list("resourceTemplates", never)).toEqual({ items: [] });
      expect((await session.list("resources", never)).items).toEqual([{ uri: "memo://a", name: "a" }]);
    }
    const asked = server.received().map(({ method }) => method);
    expect(asked.filter((method) => method === "resources/templates/list")).toHaveLength(1);
    expect(asked.filter((method) => method === "resources/list")).toHaveLength(2);
  });

  test.each([
    ["repeats", "again", 2],
    ["is empty", "", 1],
  ])("ends with a warning where a cursor %s, and keeps what came", async (_, nextCursor, pages) => {
    const server = scriptedServer(
      (message, { answer, process }) => {
        if (message.method !== "tools/list") return undefined;
        answer({
          tools: [{ name: `t${Math.random()}`, inputSchema: { type: "object" } }],
          nextCursor: process.env.CURSOR,
        });
        return true;
      },
      { env: { CURSOR: nextCursor } },
    );
    const log = vi.fn();
    const { items } = await (await connect(server, { log })).list("tools", never);
    expect(items).toHaveLength(pages);
    expect(server.received().filter(({ method }) => method === "tools/list")).toHaveLength(pages);
    expect(log).toHaveBeenCalledWith("warn", expect.stringContaining("its list ends there"), {
      server: "scripted",
      method: "tools/list",
      items: pages,
    });
  });

  test.each([false, true])(
    "[L12] redacts the cursor in the error of a later page (modern: %s)",
    async (isModern) => {
      const script: Script = (message, { send, refuse }) => {
        if (message.method !== "tools/list") return undefined;
        const { cursor } = message.params ?? {};
        const page = { resultType: "complete", tools: [], nextCursor: "cursor-with-a-secret" };
        if (cursor) refuse(-32602, `Bad cursor ${cursor}.`, { cursor });
        else send({ id: message.id, result: page });
        return true;
      };
      const log = vi.fn();
      const session = await connect(scriptedServer(script, { isModern, capabilities: { tools: {} } }), {
        log,
      });
      const error = await failureOf(session.list("tools", never));
      expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", rpcCode: -32602, phase: "list" });
      expect(error.message).toContain("Bad cursor [redacted].");
      expect(inspect([error, log.mock.calls], { depth: 10 })).not.toContain("cursor-with-a-secret");
    },
  );

  test("fails an endless list after 64 pages", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list") return undefined;
      answer({ tools: [], nextCursor: String(Number(message.params?.cursor ?? 0) + 1) });
      return true;
    });
    const error = await failureOf((await connect(server)).list("tools", never));
    expect(error).toMatchObject({ code: "MCP_LIMIT_EXCEEDED", phase: "list" });
    expect(server.received().filter(({ method }) => method === "tools/list")).toHaveLength(64);
  });

  test("fails if the only item is invalid", async () => {
    const server = scriptedServer((message, { answer }) => {
      if (message.method !== "tools/list") return undefined;
      answer({ tools: [{ inputSchema: { type: "object" } }] });
      return true;
    });
    const error = await failureOf((await connect(server)).list("tools", never));
    expect(error).toMatchObject({ code: "MCP_PROTOCOL_VIOLATED", phase: "list" });
  });

  test.each([false, true])("leaves out an invalid item with one warning (modern: %s)", async (isModern) => {
    const script: Script = (message, { send }) => {
      const inputSchema = { type: "object" };
      const tools = [
        { name: "plain", inputSchema: {} },
        { name: "bad", inputSchema: 7 },
      ];
      const odd = { name: "odd", inputSchema, execution: { taskSupport: "deferred" } };
      const resources = [{ uri: "memo://a", name: "a" }, { uri: "memo://b" }];
      const lists = { "tools/list": { tools: [...tools, odd] }, "resources/list": { resources } };
      const list = lists[message.method as keyof typeof lists];
      if (list) send({ id: message.id, result: { resultType: "complete", ...list } });
      return list !== undefined;
    };
    const log = vi.fn();
    const capabilities = { tools: {}, resources: {} };
    const session = await connect(scriptedServer(script, { isModern, capabilities }), { log });
    for (const _ of [1, 2]) {
      const { items } = await session.list("tools", never);
      expect(items).toEqual(["plain", "odd"].map((name) => ({ name, inputSchema: { type: "object" } })));
    }
    expect((await session.list("resources", never)).items).toEqual([{ uri: "memo://a", name: "a" }]);
    const warnings = log.mock.calls.filter(([level]) => level === "warn").map(([, , fields]) => fields);
    expect(warnings).toEqual([
      expect.objectContaining({
        method: "tools/list",
        items: expect.stringContaining('"bad" because of "inputSchema'),
      }),
      expect.objectContaining({ method: "resources/list", count: 1 }),
    ]);
  });

  test("fails if the server refuses, instead of returning an empty list", async () => {
    const server = scriptedServer((message, { refuse }) => {
      if (message.method !== "prompts/list") return undefined;
      refuse(-32601, "Method not found");
      return true;
    });
    const error = await failureOf((await connect(server)).list("prompts", never));
    expect(error).toMatchObject({ code: "MCP_REQUEST_REJECTED", rpcCode: -32601, phase: "list" });
  });

  test("fails with MCP_ABORTED if the signal aborts", async () => {
    const controller = new AbortController();
    const server = scriptedServer((message) => message.method === "tools/list");
    const session = await connect(server);
    const failing = failureOf(session.list("tools", { signal: controller.signal }));
    controller.abort();
    expect(await failing).toMatchObject({ code: "MCP_ABORTED", phase: "list" });
  });
});
