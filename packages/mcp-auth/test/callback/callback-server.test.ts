import { once } from "node:events";
import { connect, createServer } from "node:net";
import { useLeakCheck } from "@jackfield/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCallbackServer } from "../../src/callback/callback-server.ts";
import { type Hit, hit } from "./request.ts";
import { EXPECTED, openLogin, openWaiting } from "./waiting-server.ts";

useLeakCheck();

test("the login response arrives, and the page says that the window can be closed", async () => {
  const { uri, good, answer } = await openWaiting();
  expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const page = await hit(uri, good);
  expect([page.status, page.body]).toEqual([200, expect.stringContaining("You can close this window")]);
  expect(await answer).toEqual(EXPECTED);
});

test("a response without an issuer is accepted", async () => {
  const { uri, state, answer } = await openWaiting();
  await hit(uri, `/callback?state=${state}&code=a%2Bb%20c`);
  expect(await answer).toEqual({ code: "a+b c", iss: undefined });
});

test("host, port and path of the redirect URI can be configured", async () => {
  const { redirectUri } = await openCallbackServer().then(async (server) => {
    await server.close();
    return server;
  });
  const port = Number(new URL(redirectUri).port);
  const { uri, state, answer } = await openWaiting({ port, path: "/oauth/done", host: "localhost" });
  expect(uri).toBe(`http://localhost:${port}/oauth/done`);
  await hit(uri, `/oauth/done?code=c&state=${state}`, { headers: { host: `localhost:${port}` } });
  expect(await answer).toEqual({ code: "c" });
});

test("an occupied port is MCP_CONFIG_INVALID and named in the message", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(openCallbackServer({ port })).rejects.toMatchObject({
    code: "MCP_CONFIG_INVALID",
    message: expect.stringContaining(`port ${port}`),
  });
  other.close();
  await once(other, "close");
});

/** Requests that are not the awaited response, by what is wrong with them. */
const BAD_HITS: readonly [
  what: string,
  status: number,
  target: (good: string) => string,
  hit?: (port: string) => Hit,
][] = [
  ["no state", 400, () => "/callback?code=c"],
  ["an empty state", 400, () => "/callback?code=c&state="],
  ["another state", 400, (good) => good.replace("state=", "state=x")],
  ["a state cut short", 400, (good) => good.replace(/(state=[^&]+)[^&]/, "$1")],
  ["the state twice", 400, (good) => `${good}&state=other`],
  ["the code twice", 400, (good) => `${good}&code=other`],
  ["the issuer twice", 400, (good) => `${good}&iss=https%3A%2F%2Fevil.example`],
  ["neither code nor error", 400, (good) => good.replace("code=", "kode=")],
  ["both code and error", 400, (good) => `${good}&error=access_denied`],
  ["a code that is far too long", 400, (good) => good.replace("the-code", "c".repeat(9_000))],
  ["an error with another state", 400, () => "/callback?error=access_denied&state=x"],
  ["an error without a state", 400, () => "/callback?error=<script>alert(1)</script>"],
  ["another path", 404, (good) => good.replace("/callback", "/")],
  ["a longer path", 404, (good) => good.replace("/callback", "/callback/")],
  ["a path in capitals", 404, (good) => good.replace("/callback", "/CALLBACK")],
  ["a percent-encoded path", 404, (good) => good.replace("/callback", "/call%62ack")],
  ["a path with dot segments", 404, (good) => good.replace("/callback", "/x/../callback")],
  ["an absolute URL as its target", 404, (good) => `http://127.0.0.1${good}`],
  ["the path of a favicon", 404, () => "/favicon.ico"],
  ["the method POST", 405, (good) => good, () => ({ method: "POST", body: "code=c" })],
  ["the method HEAD", 405, (good) => good, () => ({ method: "HEAD" })],
  ["the method OPTIONS", 405, (good) => good, () => ({ method: "OPTIONS" })],
  ["the method DELETE", 405, (good) => good, () => ({ method: "DELETE" })],
  ["another host", 400, (good) => good, (port) => ({ headers: { host: `evil.example:${port}` } })],
  ["another port", 400, (good) => good, () => ({ headers: { host: "127.0.0.1:1" } })],
  ["a host without its port", 400, (good) => good, () => ({ headers: { host: "127.0.0.1" } })],
  [
    "a host that begins with localhost",
    400,
    (good) => good,
    (port) => ({ headers: { host: `localhost.evil.example:${port}` } }),
  ],
  ["no host at all", 400, (good) => good, () => ({ headers: {} })],
];

test.each(BAD_HITS)(
  "[T38] a request with %s is refused, and the real response still arrives",
  async (_what, status, target, how) => {
    const { uri, good, answer } = await openWaiting();
    const page = await hit(uri, target(good), how?.(new URL(uri).port));
    expect(page.status).toBe(status);
    expect((await hit(uri, good)).status).toBe(200);
    expect(await answer).toEqual(EXPECTED);
  },
);

const PARTS = 20;
const HITS_PER_PART = 50;

describe(`${PARTS * HITS_PER_PART} forged requests`, () => {
  let login: Awaited<ReturnType<typeof openLogin>>;
  const bodies = new Set<string>();
  beforeAll(async () => {
    login = await openLogin();
  });
  afterAll(() => login.server.close());

  test.each(Array.from({ length: PARTS }, (_, part) => part))(
    "[T38] are all refused (part %i)",
    async (part) => {
      const { uri, good } = login;
      const sendForged = async (_: unknown, index: number) => {
        const number = part * HITS_PER_PART + index;
        const [, status, target, how] = BAD_HITS[number % BAD_HITS.length] ?? [];
        const sent = `${target?.(good)}${number % 2 ? "&q=<script>alert(1)</script>" : "#\u001b[31m"}`;
        const answer = await hit(uri, encodeURI(sent), how?.(new URL(uri).port));
        bodies.add(answer.body);
        return [answer.status, status];
      };
      const statuses = await Promise.all(Array.from({ length: HITS_PER_PART }, sendForged));
      expect(statuses.filter(([received, expected]) => received !== expected)).toEqual([]);
    },
  );

  test("[T38] leave no trace in the pages, and the real response still arrives", async () => {
    expect(bodies.size).toBeLessThanOrEqual(4);
    for (const body of bodies) expect(body).not.toMatch(/script|alert|evil|code=|\p{Cc}(?!\s*$)/u);
    expect((await hit(login.uri, login.good)).status).toBe(200);
    expect(await login.answer).toEqual(EXPECTED);
  });
});

test("[T38] silent and non-HTTP connections do not block the real response", async () => {
  const { uri, good, answer } = await openWaiting();
  const port = Number(new URL(uri).port);
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const socket = connect({ host: "127.0.0.1", port }).on("error", () => {});
      await once(socket, "connect");
      socket.write(
        ["", "GET /callback?", "\0\0\0", "GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"][index % 4] ?? "",
      );
      return { socket, closed: once(socket.resume(), "close") };
    }),
  );
  expect((await hit(uri, good)).status).toBe(200);
  expect(await answer).toEqual(EXPECTED);
  await Promise.all(sockets.map(({ closed }) => closed)); // the server closes them itself
});

test.each(["/", "/callback", "/callback?error=x&state=y"])(
  "[T38] every page has restrictive security headers and no active content: %s",
  async (target) => {
    const { uri } = await openWaiting();
    const { headers, body } = await hit(uri, target);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'$/),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      connection: "close",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(body).not.toMatch(/<script|<form|<img|<link|https?:/);
  },
);

describe("an error from the authorization server", () => {
  test("[T38] reaches the caller without control characters, and not the page", async () => {
    const { uri, state, answer } = await openWaiting();
    const words = encodeURIComponent(
      `\u001b[2J<script>alert(1)</script>\u202eevil\nsecond\u0000 line${"!".repeat(1_000)}`,
    );
    const page = await hit(uri, `/callback?error=access_denied&error_description=${words}&state=${state}`);
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/script|access_denied|evil/);
    const error = await answer.catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: "MCP_AUTH_REQUIRED",
      message: expect.stringMatching(
        /^The authorization server refused the login: access_denied: \[2J<script>/,
      ),
    });
    expect((error as Error).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect((error as Error).message.length).toBeLessThan(400);
  });

  test("needs no description", async () => {
    const { uri, state, answer } = await openWaiting();
    await hit(uri, `/callback?error=server_error&state=${state}`);
    await expect(answer).rejects.toThrow("The authorization server refused the login: server_error");
  });
});
