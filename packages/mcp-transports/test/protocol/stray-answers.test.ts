import { expect, test, vi } from "vitest";
import { connect, failureOf } from "../connecting.ts";
import { scriptedServer } from "../scripted-server.ts";

const call = (text: string) => ({ name: "echo", arguments: { text } });
const textOf = (result: { readonly content: readonly object[] }) =>
  (result.content[0] as { readonly text: string } | undefined)?.text;

/** Answers every tools/call and prompts/get only after answers with other ids, each of which contains its id. */
const confusing = () =>
  scriptedServer(
    (message, { send, answer }) => {
      const { method, params } = message;
      if (method !== "tools/call" && method !== "prompts/get") return undefined;
      const result = (text: string) => {
        const content = { type: "text", text };
        const messages = [{ role: "user", content }];
        return {
          resultType: "complete",
          ...(method === "tools/call" ? { content: [content] } : { messages }),
        };
      };
      const id = Number(message.id);
      const others = [
        null,
        "",
        " ",
        "0x0",
        `0${id}`,
        `${id}.0`,
        ` ${id}`,
        `${id}e0`,
        [id],
        true,
        -id - 1,
        id + 0.5,
        id + 1e8,
      ];
      for (const other of others) {
        send({ id: other, result: result(`wrong: ${JSON.stringify(other)}`) });
        send({ id: other, error: { code: -32603, message: `wrong: ${JSON.stringify(other)}` } });
      }
      send({ result: result("wrong: none") });
      answer(result(params.arguments.text));
      answer(result("wrong: second"));
      return true;
    },
    { isModern: true, capabilities: { tools: {}, prompts: {} } },
  );

test("[R40] answers with a wrong id, and second answers, resolve no call", async () => {
  const log = vi.fn();
  const server = confusing();
  const first = await connect(server);
  const session = await connect(server, { prior: first.handshake.prior, log });
  const texts = Array.from({ length: 20 }, (_, n) => `call ${n}`);
  const results = await Promise.all(texts.map((text) => session.request("tools/call", call(text))));
  expect(results.map(textOf)).toEqual(texts);
  expect(await session.request("tools/call", call("next"))).toMatchObject({ content: [{ text: "next" }] });
  const told = log.mock.calls.filter(([, message]) => message.includes("answers to no pending request"));
  expect(told.map(([, , fields]) => fields.count)).toEqual([1, 10, 100]);
});

test("[R40] an id or progress token returned as a string belongs to its own request", async () => {
  const server = scriptedServer((message, { send }) => {
    if (message.method !== "tools/call") return undefined;
    const { progressToken } = message.params._meta;
    send({ method: "notifications/progress", params: { progressToken: String(progressToken), progress: 1 } });
    const content = [{ type: "text", text: message.params.arguments.text }];
    send({ id: String(message.id), result: { content } });
    send({ id: message.id, result: { content: [{ type: "text", text: "second" }] } });
    return true;
  });
  const session = await connect(server);
  const onProgress = vi.fn();
  const texts = Array.from({ length: 20 }, (_, n) => `call ${n}`);
  const calls = texts.map((text) => session.request("tools/call", call(text), { onProgress }));
  expect((await Promise.all(calls)).map(textOf)).toEqual(texts);
  expect(onProgress).toHaveBeenCalledTimes(20);
});

test.each(["tools/call", "prompts/get"] as const)(
  "[R40] progress with a blank, misspelt or missing token is not reported: %s",
  async (method) => {
    const server = scriptedServer(
      (message, { send, answer }) => {
        const { progressToken: token } = message.params?._meta ?? {};
        if (token === undefined) return undefined;
        const blank = ["", " ", "\t", null, false, [], {}];
        const misspelt = [[token], `0x${Number(token).toString(16)}`, `${token}.0`, ` ${token}`];
        for (const progressToken of [...blank, ...misspelt, undefined])
          send({ method: "notifications/progress", params: { progressToken, progress: 1 } });
        answer({ resultType: "complete", content: [], messages: [] });
        return true;
      },
      { isModern: true, capabilities: { tools: {}, prompts: {} } },
    );
    const session = await connect(server);
    const onProgress = vi.fn();
    await session.request(method, { name: "echo" }, { onProgress });
    expect(onProgress).not.toHaveBeenCalled();
  },
);

test("[R39] a late answer to a timed-out call resolves no other call", async () => {
  const server = scriptedServer((message, { send, answer }) => {
    if (message.method !== "tools/call") return undefined;
    const state = globalThis as { late?: (number | string | undefined)[] };
    state.late ??= [];
    const { text } = message.params.arguments;
    if (text === "late") state.late.push(message.id);
    else {
      for (const id of state.late.splice(0))
        send({ id, result: { content: [{ type: "text", text: "late" }] } });
      answer({ content: [{ type: "text", text }] });
    }
    return true;
  });
  const log = vi.fn();
  const session = await connect(server, { log });
  const given = Array.from({ length: 10 }, () =>
    failureOf(session.request("tools/call", call("late"), { timeoutMs: 30 })),
  );
  for (const error of await Promise.all(given)) expect(error.code).toBe("MCP_CALL_TIMEOUT");
  const results = await Promise.all(["a", "b", "c"].map((text) => session.request("tools/call", call(text))));
  expect(results.map(textOf)).toEqual(["a", "b", "c"]);
  const told = log.mock.calls.filter(([, message]) => message.includes("answers to no pending request"));
  expect(told.map(([level, , fields]) => [level, fields.count])).toEqual([
    ["debug", 1],
    ["debug", 10],
  ]);
});
