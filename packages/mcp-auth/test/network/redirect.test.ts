import { useLeakCheck } from "@jackfield/test-kit";
import { expect, test } from "vitest";
import { GuardedFetch } from "../../src/network/guarded-fetch.ts";
import { lookUpAsAttacker } from "./address-spellings.ts";
import { startServer } from "./http-server.ts";
import { openTrapListener } from "./trap-listener.ts";

useLeakCheck();

const STATUSES = [301, 302, 303, 307, 308] as const;
const SECRETS = {
  accept: "application/json",
  authorization: "Bearer secret-token",
  cookie: "session=secret",
  "proxy-authorization": "Basic secret",
  "x-api-key": "secret",
  "mcp-protocol-version": "2025-11-25",
};

test.each(STATUSES)("[T29] a %i to another origin carries no credentials", async (status) => {
  await using other = await startServer((_request, response) => response.end('{"here":true}'));
  await using first = await startServer((_request, response) =>
    response.writeHead(status, { location: `${other.origin}/there?x=1` }).end("moved"),
  );
  await using guarded = new GuardedFetch({ allowLoopback: true });
  const answer = await guarded.fetch(`${first.origin}/here`, { headers: SECRETS });
  expect(await answer.json()).toEqual({ here: true });
  expect(answer.url).toBe(`${other.origin}/there?x=1`);
  expect(first.received[0]?.headers).toMatchObject({
    authorization: "Bearer secret-token",
    "x-api-key": "secret",
  });
  expect(other.received).toHaveLength(1);
  expect(other.received[0]).toMatchObject({ method: "GET", path: "/there?x=1", body: "" });
  expect(Object.keys(other.received[0]?.headers ?? {}).sort()).toEqual([
    "accept",
    "accept-encoding",
    "connection",
    "host",
  ]);
  expect(JSON.stringify(other.received)).not.toContain("secret");
});

test.each(STATUSES)("[T29] a %i response to a POST is not followed", async (status) => {
  await using other = await startServer((_request, response) => response.end("{}"));
  await using first = await startServer((_request, response) =>
    response.writeHead(status, { location: `${other.origin}/token` }).end(),
  );
  await using guarded = new GuardedFetch({ allowLoopback: true });
  const body = new URLSearchParams({ code: "secret-code", client_secret: "secret" });
  await expect(
    guarded.fetch(`${first.origin}/token?a=hidden`, { method: "POST", body }),
  ).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
    message: `${first.origin}/token?… redirects a POST to ${other.origin}; only a GET follows redirects.`,
  });
  expect(first.received[0]).toMatchObject({ method: "POST", body: "code=secret-code&client_secret=secret" });
  expect(other.received).toEqual([]);
});

test("[T29] a redirect within the origin keeps the headers", async () => {
  await using server = await startServer((request, response) => {
    if (request.url === "/new") response.end("{}");
    else response.writeHead(302, { location: "/new" }).end();
  });
  await using guarded = new GuardedFetch({ allowLoopback: true });
  expect((await guarded.fetch(`${server.origin}/old`, { headers: SECRETS })).status).toBe(200);
  expect(server.received[1]?.headers).toMatchObject({
    authorization: "Bearer secret-token",
    "x-api-key": "secret",
  });
});

test("[T29] a redirect back to the first origin does not restore the credentials", async () => {
  await using first = await startServer((request, response) => {
    if (request.url === "/back") response.end("{}");
    else response.writeHead(302, { location: `${second.origin}/` }).end();
  });
  await using second = await startServer((_request, response) =>
    response.writeHead(302, { location: `${first.origin}/back` }).end(),
  );
  await using guarded = new GuardedFetch({ allowLoopback: true });
  await guarded.fetch(`${first.origin}/`, { headers: SECRETS });
  expect(first.received[1]?.headers.authorization).toBeUndefined();
});

test.each([
  [3, 200],
  [4, undefined],
])("[T29] of %i redirects in a row, three are followed", async (length, status) => {
  await using server = await startServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end("{}");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  await using guarded = new GuardedFetch({ allowLoopback: true });
  const asked = guarded.fetch(`${server.origin}/${length}`);
  if (status) expect((await asked).status).toBe(status);
  else await expect(asked).rejects.toMatchObject({ code: "MCP_AUTH_REQUIRED" });
  expect(server.received).toHaveLength(4);
});

test("[T29] every redirect target is checked like the first URL", async () => {
  await using trap = await openTrapListener();
  let location = "";
  await using server = await startServer((_request, response) => response.writeHead(302, { location }).end());
  await using guarded = new GuardedFetch({ allowLoopback: true, lookup: lookUpAsAttacker });
  const inner = [
    `https://login.example:${trap.port}/`,
    `http://login.example:${trap.port}/`,
    `https://0.0.0.0:${trap.port}/`,
    `https://[::]:${trap.port}/`,
    `//login.example:${trap.port}/`,
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://[fd00:ec2::254]/",
    `https://user:word@localhost:${trap.port}/`,
    "file:///etc/hostname",
    "javascript:alert(1)",
    "http://[",
  ];
  for (location of inner) {
    await expect(guarded.fetch(`${server.origin}/`), location).rejects.toMatchObject({
      code: "MCP_AUTH_REQUIRED",
    });
  }
  expect(await trap.connections()).toBe(0);
});

test("[T29] redirect modes manual and error follow nothing", async () => {
  await using server = await startServer((_request, response) =>
    response.writeHead(302, { location: "/a" }).end("x"),
  );
  await using guarded = new GuardedFetch({ allowLoopback: true });
  const answer = await guarded.fetch(server.origin, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([302, "/a", "x"]);
  await expect(guarded.fetch(server.origin, { redirect: "error" })).rejects.toMatchObject({
    code: "MCP_AUTH_REQUIRED",
  });
  expect(server.received).toHaveLength(2);
});

test("[T29] a redirect without a Location is returned as the response", async () => {
  await using server = await startServer((_request, response) => response.writeHead(302).end("where to?"));
  await using guarded = new GuardedFetch({ allowLoopback: true });
  const answer = await guarded.fetch(server.origin);
  expect([answer.status, await answer.text()]).toEqual([302, "where to?"]);
});
