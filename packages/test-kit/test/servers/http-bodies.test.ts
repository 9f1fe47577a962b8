import { request, ServerResponse } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import type { HttpFault } from "../../src/servers/http-fault-script.ts";
import { atEnd } from "../cleanup.ts";
import { collected, eventsOf, messagesOf, startRawHttp } from "./raw-http.ts";

const MODES = ["json", "sse"] as const;

function startWith(answer: "json" | "sse", fault: HttpFault) {
  return startRawHttp({ sessionless: true, answer, on: { "tools/call": fault } });
}

/** The body of a call's answer as it is on the wire, and its headers. `fetch` would decode it. */
async function rawCall(url: string) {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } };
  const sent = request(url, { method: "POST", agent: false }).end(JSON.stringify(body));
  atEnd(() => sent.destroy());
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    sent.on("error", reject).on("response", async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      resolve({ headers: response.headers, bytes });
    });
  });
}

/** Counts the bytes that responses are given to send, and fails the response that exceeds the limit. */
function limitBytesWritten(limit: number): () => number {
  const write = ServerResponse.prototype.write as (this: ServerResponse, ...args: unknown[]) => boolean;
  let bytes = 0;
  const spy = vi.spyOn(ServerResponse.prototype, "write").mockImplementation(function (
    this: ServerResponse,
    chunk: Buffer,
    ...rest: unknown[]
  ) {
    bytes += chunk.length;
    if (bytes > limit) throw new Error("The answer is produced faster than it is read.");
    return write.call(this, chunk, ...rest);
  });
  atEnd(() => spy.mockRestore());
  return () => bytes;
}

describe.each(MODES)("a %s answer", (answer) => {
  test("can be 3 MB large", async () => {
    const { call } = await startWith(answer, { answerBytes: 3_000_000 });
    const text = await (await call(1, { a: 1 })).text();
    expect(text.length).toBeGreaterThanOrEqual(3_000_000);
    expect(text.length).toBeLessThan(3_000_100);
    const json = answer === "json" ? text : text.slice(text.indexOf("data: ") + 6);
    expect(JSON.parse(json)).toMatchObject({ id: 1, result: { content: [{ text: '{"a":1}' }] } });
  });

  test("of 10 TB is produced only as fast as it is read", async () => {
    const bytesWritten = limitBytesWritten(100_000_000);
    const { call, abort } = await startWith(answer, { answerBytes: 1e13 });
    const chunks = (await call(1)).body?.values();
    let bytes = 0;
    while (bytes < 5_000_000) bytes += (await chunks?.next())?.value?.length ?? Number.NaN;
    expect(bytes).toBeGreaterThanOrEqual(5_000_000);
    for (let before = -1; before !== bytesWritten(); ) {
      before = bytesWritten();
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bytesWritten()).toBeLessThan(50_000_000); // the buffers of the connection hold what was not read
    abort();
  });

  test("can have another content type, or none", async () => {
    const wrong = await (await startWith(answer, { contentType: "text/html" })).call(1);
    expect(wrong.headers.get("content-type")).toBe("text/html");
    expect(await wrong.text()).toContain('"jsonrpc"');
    const none = await (await startWith(answer, { contentType: "" })).call(1);
    expect(none.headers.get("content-type")).toBe(null);
    await none.text();
  });

  test.each([
    { garbled: "truncated", has: /"jsonrpc":"2.0","id":1/, hasNot: /\}\}/ },
    { garbled: "not-json", has: /<!doctype html>/, hasNot: /jsonrpc/ },
    { garbled: "not-rpc", has: /\{"hello":"world"\}/, hasNot: /jsonrpc/ },
    { garbled: "not-utf8", has: /\{"\uFFFDjsonrpc":"2.0"/, hasNot: /^$/ },
  ] as const)("can be garbled: $garbled", async ({ garbled, has, hasNot }) => {
    const { call } = await startWith(answer, { garbled });
    const response = await call(1);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(has);
    expect(text).not.toMatch(hasNot);
  });

  test.each([
    { garbled: "deep", has: `[${"[".repeat(199_998)}` },
    { garbled: "wide", has: `[${"[],".repeat(1_100_000)}0]` },
  ] as const)("can be garbled: $garbled", async ({ garbled, has }) => {
    const { call } = await startWith(answer, { garbled });
    const text = await (await call(1)).text();
    expect(text.includes(has)).toBe(true);
    expect(text).toContain('"id":1,"result":{');
  });

  test("stays unchanged if it is an error, whatever size or depth the script sets", async () => {
    const rpcError = { code: -1, message: "No." };
    for (const fault of [{ answerBytes: 1000 }, { garbled: "deep" }] as const) {
      const { call } = await startWith(answer, { rpcError, ...fault });
      const text = await (await call(1)).text();
      expect(text).toContain(JSON.stringify({ jsonrpc: "2.0", id: 1, error: rpcError }));
      expect(text.length).toBeLessThan(200);
    }
  });

  test.each([
    { coding: "gzip", decode: gunzipSync },
    { coding: "deflate", decode: inflateSync },
    { coding: "br", decode: brotliDecompressSync },
    { coding: "zstd", decode: zstdDecompressSync },
  ] as const)("can be a $coding bomb", async ({ coding, decode }) => {
    const { server } = await startWith(answer, { compress: [coding], answerBytes: 5_000_000 });
    const { headers, bytes } = await rawCall(server.url);
    expect(headers["content-encoding"]).toBe(coding);
    expect(bytes.length).toBeLessThan(50_000);
    expect(decode(bytes).length).toBeGreaterThanOrEqual(5_000_000);
  });

  test("can be compressed twice, and can claim an unknown coding", async () => {
    const twice = await rawCall((await startWith(answer, { compress: ["gzip", "gzip"] })).server.url);
    expect(twice.headers["content-encoding"]).toBe("gzip, gzip");
    expect(gunzipSync(gunzipSync(twice.bytes)).toString()).toContain('"jsonrpc"');
    const claimed = await rawCall((await startWith(answer, { contentEncoding: "x-unknown" })).server.url);
    expect(claimed.headers["content-encoding"]).toBe("x-unknown");
    expect(claimed.bytes.toString()).toContain('"jsonrpc"');
  });

  test("can drip in many small chunks", async () => {
    const { call } = await startWith(answer, { dripMs: 1 });
    const response = await call(1);
    let chunks = 0;
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      chunks += 1;
      bytes += chunk.length;
    }
    expect(bytes).toBeGreaterThan(60);
    expect(chunks).toBeGreaterThan(10); // some bytes arrive together
  });

  test("that drips does not keep the server from closing", async () => {
    const { call, server } = await startWith(answer, { dripMs: 600_000 });
    const reading = call(1).then((response) => response.text());
    const failing = expect(reading).rejects.toThrow();
    await server.received(({ body }) => body?.method === "tools/call");
    await server.close();
    await failing;
  });
});

test("a compressed stream delivers each event as it happens", async () => {
  const { openSession, get, server } = await startRawHttp({ on: { GET: { compress: ["gzip"] } } });
  const messages = messagesOf(await get(await openSession()));
  for (const data of ["one", "two"]) {
    server.notify({ method: "notifications/message", params: { level: "info", data } });
    expect((await messages.next()).value).toMatchObject({ params: { data } });
  }
});

test("only the answer is garbled, not the progress before it", async () => {
  const { post } = await startRawHttp({
    sessionless: true,
    answer: "sse",
    progress: 1,
    on: { "tools/call": { garbled: "not-json" } },
  });
  const params = { name: "echo", _meta: { progressToken: 1 } };
  const events = await collected(eventsOf(await post({ id: 1, method: "tools/call", params })));
  expect(events.map(({ data }) => data?.slice(0, 9))).toEqual(['{"jsonrpc', "<!doctype"]);
});
