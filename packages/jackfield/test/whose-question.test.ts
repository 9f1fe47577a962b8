import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { InlineServer } from "@jackfield/mcp-config";
import type { HostHandlers, ServerRequestContext } from "@jackfield/mcp-core";
import { useLeakCheck } from "@jackfield/test-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openMcp } from "../src/index.ts";
import { scriptServer } from "./fixture.ts";

useLeakCheck();

const INITIALIZED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "asking", version: "1" },
};
const TOOLS = { tools: [{ name: "order", inputSchema: { type: "object" } }] };
const PASSWORD = {
  message: "Your password for this order?",
  requestedSchema: { type: "object", properties: { word: { type: "string" } } },
};

/** A server behind HTTP that asks on the stream of the first call as soon as there are two, and answers a call with what it was told. */
async function askingOverHttp(): Promise<InlineServer> {
  const calls: { readonly id: number; readonly response: ServerResponse }[] = [];
  const send = (at: number, message: object) =>
    calls[at]?.response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method, result: told } = JSON.parse(await text(request));
    const answer = (members: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...members }));
    };
    if (method === undefined || id === undefined) response.writeHead(202).end();
    if (method === undefined) {
      calls.forEach((call, at) => {
        const word = at === 0 ? told.content?.word : "not asked";
        send(at, { id: call.id, result: { content: [], structuredContent: { word } } });
        call.response.end();
      });
    } else if (id === undefined) return;
    else if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      calls.push({ id, response });
      if (calls.length === 2) send(0, { id: "question", method: "elicitation/create", params: PASSWORD });
    } else if (method === "initialize") answer({ result: INITIALIZED });
    else if (method === "tools/list") answer({ result: TOOLS });
    else answer({ error: { code: -32601, message: "Method not found" } });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

/** A local server that asks once as soon as `callCount` calls are there, and answers all of them with what it was told. */
const askingLocally = (callCount: number): InlineServer =>
  scriptServer(`
    const calls = [];
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, result } = JSON.parse(line);
      if (method === undefined) {
        for (const call of calls.splice(0)) send({ id: call, result: { content: [], structuredContent: result } });
      } else if (method === "tools/call") {
        calls.push(id);
        const params = ${JSON.stringify(PASSWORD)};
        if (calls.length === ${callCount}) send({ id: "question", method: "elicitation/create", params });
      } else if (method === "initialize") send({ id, result: ${JSON.stringify(INITIALIZED)} });
      else if (method === "tools/list") send({ id, result: ${JSON.stringify(TOOLS)} });
      else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    });
  `);

/** Handlers that accept with a word of their own. */
function answering(word: string) {
  const contexts: ServerRequestContext[] = [];
  const elicit = vi.fn<NonNullable<HostHandlers["elicit"]>>(async (_, context) => {
    contexts.push(context);
    return { action: "accept", content: { word } };
  });
  return { elicit, contexts, handlers: { elicit } };
}

async function openAsking(server: InlineServer, handlers: HostHandlers) {
  const mcp = await openMcp({ servers: { shop: server }, discover: false, cache: false, handlers });
  onTestFinished(() => mcp.close());
  return mcp;
}

const ORDER = { server: "shop", tool: "order" };

describe("a question of a server that users share", () => {
  it("reaches only the user on whose call's stream it comes", async () => {
    const runtime = answering("runtime");
    const mcp = await openAsking({ ...(await askingOverHttp()), shared: true }, runtime.handlers);
    const [ann, bob] = await Promise.all([mcp.forPrincipal("ann"), mcp.forPrincipal("bob")]);
    const [ofAnn, ofBob] = [answering("word of ann"), answering("word of bob")];
    const order = ann.callTool(ORDER, {}, { handlers: ofAnn.handlers, meta: { order: 7 } });
    const other = bob.view({ servers: ["shop"] }).callTool(ORDER, {}, { handlers: ofBob.handlers });
    expect((await order).structuredContent).toEqual({ word: "word of ann" });
    expect((await other).structuredContent).toEqual({ word: "not asked" });
    for (const { elicit } of [ofBob, runtime]) expect(elicit).not.toHaveBeenCalled();
    const call = { method: "tools/call", tool: "order", principal: "ann", meta: { order: 7 } };
    expect(ofAnn.contexts).toMatchObject([{ server: "shop", principal: "ann", call }]);
  });

  it("is declined over pipes while calls of several users are pending", async () => {
    const runtime = answering("runtime");
    const mcp = await openAsking({ ...askingLocally(2), shared: true } as InlineServer, runtime.handlers);
    const users = await Promise.all([mcp.forPrincipal("ann"), mcp.forPrincipal("bob")]);
    const own = answering("own");
    const answers = users.map((user) => user.callTool(ORDER, {}, { handlers: own.handlers }));
    for (const { structuredContent } of await Promise.all(answers))
      expect(structuredContent).toEqual({ action: "decline" });
    for (const { elicit } of [own, runtime]) expect(elicit).not.toHaveBeenCalled();
  });

  it("names the user to the runtime's own handlers, also over pipes, if only one user has calls", async () => {
    const runtime = answering("runtime");
    const mcp = await openAsking({ ...askingLocally(1), shared: true } as InlineServer, runtime.handlers);
    const ann = await mcp.forPrincipal("ann");
    await ann.callTool(ORDER);
    await mcp.callTool(ORDER);
    expect(runtime.contexts.map(({ principal }) => principal)).toEqual(["ann", undefined]);
    expect(runtime.contexts.map(({ call }) => call?.principal)).toEqual(["ann", undefined]);
  });
});

it("a question on a user's own session names that user", async () => {
  const runtime = answering("runtime");
  const mcp = await openAsking({ ...askingLocally(1), lazy: true } as InlineServer, runtime.handlers);
  const [ann, bob] = await Promise.all([mcp.forPrincipal("ann"), mcp.forPrincipal("bob")]);
  await Promise.all([ann.callTool(ORDER), bob.callTool(ORDER)]);
  expect(runtime.contexts.map(({ principal }) => principal).sort()).toEqual(["ann", "bob"]);
});
