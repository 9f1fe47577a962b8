import { afterEach, describe, expect, test, vi } from "vitest";
import { Cookies } from "../../src/http/cookies.ts";
import { failureOf } from "../connecting.ts";
import { type HttpExchange, startHttpServer } from "../http-server.ts";
import { connectTo, ECHO } from "./remote.ts";

afterEach(() => vi.useRealTimers());

const HERE = new URL("https://mcp.example/mcp");

/** What is sent to an address after answers with these lines from another. */
function sentAfter(lines: readonly string[], to = HERE, from = HERE): string | undefined {
  const cookies = new Cookies();
  for (const line of lines) cookies.take(from, { "set-cookie": [line] });
  return cookies.headerFor(to);
}

describe("a cookie", () => {
  test.each([
    ["is sent back", ["a=1; Path=/; HttpOnly"], "a=1"],
    ["may have no attributes, and an equals sign in its value", ["a=b=c"], "a=b=c"],
    ["is replaced by the next of its name", ["a=1", "a=2"], "a=2"],
    ["of a longer path comes first", ["a=1; Path=/", "b=2; path=/mcp"], "b=2; a=1"],
    ["of another path is not sent", ["a=1; Path=/other", "b=1; Path=/mc"], undefined],
    ["is removed by a lifetime of zero", ["a=1", "a=; Max-Age=0"], undefined],
    ["is removed by a date in the past", ["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], undefined],
    ["lasts if its date cannot be read", ["a=1; Expires=soon"], "a=1"],
    ["has its lifetime from Max-Age if both are given", ["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970"], "a=1"],
    ["without a name, or with a control character, is none", ["=1", "1", "a=\u0007", ""], undefined],
    ["of more than 4 KiB is none", [`a=${"x".repeat(4100)}`], undefined],
    ["of any domain goes to its own origin", ["a=1; Domain=other.example"], "a=1"],
  ] as const)("%s", (_, lines, expected) => {
    expect(sentAfter(lines)).toBe(expected);
  });

  test("ends with its lifetime", () => {
    vi.useFakeTimers();
    const cookies = new Cookies();
    cookies.take(HERE, { "set-cookie": "a=1; Max-Age=10" });
    vi.setSystemTime(Date.now() + 9_000);
    expect(cookies.headerFor(HERE)).toBe("a=1");
    vi.setSystemTime(Date.now() + 2_000);
    expect(cookies.headerFor(HERE)).toBeUndefined();
  });

  test("that is secure is not sent without TLS", () => {
    const plain = new URL("http://mcp.example/mcp");
    expect(sentAfter(["a=1; Secure", "b=2"], plain, plain)).toBe("b=2");
  });

  test("is one of at most 50", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `c${index}=x`);
    expect(sentAfter(lines)?.split("; ")).toHaveLength(50);
  });
});

describe("a server behind a load balancer that is sticky by a cookie", () => {
  /** Two copies, each of which knows its own sessions only; every request without the cookie goes to the other one. */
  const startCopies = (headers: Record<string, string> = {}) => {
    const sessions = [new Set<string>(), new Set<string>()];
    let turn = 0;
    const script = ({ request, response, message, answer, status }: HttpExchange) => {
      const stuck = /COPY=key-12345(\d)/.exec(request.headers.cookie ?? "")?.[1];
      const copy = Number(stuck ?? turn++ % 2);
      response.setHeader("set-cookie", `COPY=key-12345${copy}; Path=/; HttpOnly`);
      const session = request.headers["mcp-session-id"];
      if (message?.method === "initialize") {
        sessions[copy]?.add(`session-${copy}`);
        const serverInfo = { name: "copy", version: "1" };
        const agreed = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
        answer(agreed, { "mcp-session-id": `session-${copy}` });
        return true;
      }
      if (session === undefined || sessions[copy]?.has(String(session))) return undefined;
      status(404);
      return true;
    };
    return startHttpServer(script, { headers });
  };

  test.each([
    ["the connections of this package", undefined],
    ["the host's fetch", fetch],
  ])("works over %s", async (_, own) => {
    const server = await startCopies();
    const session = await connectTo(server, own && { http: { fetch: own } });
    for (let call = 0; call < 4; call += 1) await session.request("tools/call", ECHO);
    expect(server.log.filter(({ what }) => what === "POST initialize")).toHaveLength(1);
    const cookies = server.log.slice(1).map(({ headers }) => headers.cookie);
    expect(new Set(cookies).size).toBe(1);
  });

  test("gets the cookies of the entry as well, which take precedence", async () => {
    const server = await startCopies({ Cookie: "mine=1; COPY=key-123450" });
    const session = await connectTo(server, { headers: server.headers });
    await session.request("tools/call", ECHO);
    expect(server.log.map(({ headers }) => headers.cookie)).toContain("mine=1; COPY=key-123450");
    expect(new Set(server.log.map(({ headers }) => headers.cookie)).size).toBe(1);
  });

  test("does not have the cookie shown in an error", async () => {
    const server = await startHttpServer(({ message, request, response, status }) => {
      response.setHeader("set-cookie", "COPY=key-123456");
      if (message?.method !== "tools/call") return undefined;
      const error = { code: -32_000, message: `Who is ${request.headers.cookie}?` };
      const body = JSON.stringify({ jsonrpc: "2.0", id: message.id, error });
      status(200, { "content-type": "application/json" }, body);
      return true;
    });
    const session = await connectTo(server);
    const error = await failureOf(session.request("tools/call", ECHO));
    expect(error.message).toContain("Who is COPY=[redacted]?");
  });
});
