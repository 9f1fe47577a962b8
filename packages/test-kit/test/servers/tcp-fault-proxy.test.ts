import { expect, test } from "vitest";
import type { TcpPlan } from "../../src/servers/tcp-connection-plan.ts";
import { startTcpFaultProxy, type TcpFaultProxy } from "../../src/servers/tcp-fault-proxy.ts";
import { atEnd } from "../cleanup.ts";
import { dial, type RawEnd, type RawServer, startRawServer } from "./raw-tcp.ts";

interface Line {
  readonly proxy: TcpFaultProxy;
  readonly server: RawServer;
  /** A client, and the server's end of its connection. */
  connect(): Promise<{ readonly client: RawEnd; readonly served: RawEnd }>;
}

async function start(plan?: TcpPlan): Promise<Line> {
  const server = await startRawServer();
  const proxy = await startTcpFaultProxy(server.url, { plan });
  atEnd(() => proxy.close());
  return {
    proxy,
    server,
    async connect() {
      const client = dial(proxy.port);
      return { client, served: await server.next() };
    },
  };
}

/** Time enough for what was sent before to arrive: several round trips past the proxy. */
async function roundTrips({ server }: Line): Promise<void> {
  const direct = dial(Number(new URL(server.url).port));
  const served = await server.next();
  for (const text of [".", "..", "...", "...."]) {
    direct.socket.write(".");
    await served.received(text);
    served.socket.write(".");
    await direct.received(text);
  }
}

test("without a plan, all bytes and the end of each direction are passed on", async () => {
  const { proxy, connect } = await start();
  expect(proxy.url).toBe(`http://127.0.0.1:${proxy.port}/path?q=1`);
  const { client, served } = await connect();
  client.socket.end("question");
  await served.received("question");
  expect(await served.ending).toBe("end");
  served.socket.end("answer");
  await client.received("answer");
  expect(await client.ending).toBe("end");
  await proxy.until(([connection]) => connection?.isOpen === false);
  expect(proxy.connections).toMatchObject([
    { number: 0, requestBytes: 8, answerBytes: 6, isOpen: false, cutBy: undefined },
  ]);
});

test("more bytes than the sockets buffer arrive whole and in order", async () => {
  const { connect } = await start({ request: { chunkBytes: 10_000 } });
  const { client, served } = await connect();
  const text = Array.from({ length: 300_000 }, (_, index) => `${index},`).join("");
  client.socket.end(text);
  await served.received(text);
});

test.each([
  { by: "fin", ending: "end" },
  { by: "rst", ending: "ECONNRESET" },
] as const)("a request cut by $by passes exactly the planned bytes and ends both sides", async (way) => {
  const { proxy, connect } = await start({ request: { cutAtByte: 5, cutBy: way.by } });
  const { client, served } = await connect();
  client.socket.write("0123");
  await served.received("0123");
  client.socket.write("456789");
  expect([await served.ending, await client.ending]).toEqual([way.ending, way.ending]);
  expect(served.text).toBe("01234");
  expect(proxy.connections).toMatchObject([{ requestBytes: 5, cutBy: way.by }]);
});

test.each([
  { by: "fin", ending: "end" },
  { by: "rst", ending: "ECONNRESET" },
] as const)("an answer cut by $by passes exactly the planned bytes and ends both sides", async (way) => {
  const { proxy, connect } = await start({ answer: { cutAtByte: 3, cutBy: way.by } });
  const { client, served } = await connect();
  client.socket.write("question");
  await served.received("question");
  served.socket.write("0123456789");
  expect([await served.ending, await client.ending]).toEqual([way.ending, way.ending]);
  expect(client.text).toBe("012");
  expect(proxy.connections).toMatchObject([{ requestBytes: 8, answerBytes: 3, cutBy: way.by }]);
});

test("an answer cut at byte 0 passes no byte, and the request still arrives", async () => {
  const { connect } = await start({ answer: { cutAtByte: 0 } });
  const { client, served } = await connect();
  client.socket.write("question");
  await served.received("question");
  served.socket.write("answer");
  expect(await client.ending).toBe("ECONNRESET");
  expect(client.text).toBe("");
});

test("an answer can be swallowed from a byte on while the connection stays open", async () => {
  const { proxy, connect } = await start({ answer: { swallowFromByte: 2 } });
  const { client, served } = await connect();
  served.socket.end("0123456789");
  await client.received("01");
  client.socket.write("still here");
  await served.received("still here");
  expect(client.text).toBe("01");
  expect(proxy.connections).toMatchObject([{ answerBytes: 2, isOpen: true }]);
});

test("delays and small chunks keep the bytes in order", async () => {
  const { connect } = await start({ request: { delayMs: 5, chunkBytes: 2 }, answer: { delayMs: 5 } });
  const { client, served } = await connect();
  for (const piece of ["one ", "two ", "three "]) client.socket.write(piece);
  client.socket.end("four");
  await served.received("one two three four");
  expect(await served.ending).toBe("end");
  served.socket.end("done");
  await client.received("done");
});

test("a connection reset or swallowed on opening never reaches the server", async () => {
  const { proxy, server } = await start([{ opening: "reset" }, { opening: "black-hole" }]);
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
  const swallowed = dial(proxy.port);
  swallowed.socket.end("anybody there?");
  await proxy.until((connections) => connections.length === 2);
  expect(proxy.connections).toMatchObject([
    { isOpen: false, cutBy: "rst" },
    { isOpen: true, requestBytes: 0 },
  ]);
  expect(server.accepted).toEqual([]);
});

test("each plan of a list applies to one connection, and later connections are unharmed", async () => {
  const { proxy, connect } = await start([{ opening: "reset" }]);
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
  const { client, served } = await connect();
  client.socket.write("hello");
  await served.received("hello");
  proxy.setPlan([{ opening: "reset" }]);
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
});

test("a plan can be a function of the connection's number", async () => {
  const { proxy, connect } = await start((number) => (number % 2 === 0 ? { opening: "reset" } : undefined));
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
  const { client, served } = await connect();
  client.socket.write("hello");
  await served.received("hello");
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
});

test("resume delivers stalled bytes in order, on old and new connections", async () => {
  const line = await start();
  const { proxy, connect } = line;
  const first = await connect();
  first.client.socket.write("before ");
  await first.served.received("before ");
  proxy.stall();
  const second = await connect();
  first.client.socket.write("after");
  second.client.socket.write("new");
  await roundTrips(line);
  expect(proxy.connections.map(({ requestBytes }) => requestBytes)).toEqual([7, 0]);
  await proxy.resume();
  await first.served.received("before after");
  await second.served.received("new");
});

test("a black hole swallows open connections for good, and new ones work after resume", async () => {
  const line = await start();
  const { proxy, server, connect } = line;
  const lost = await connect();
  proxy.blackHole();
  lost.client.socket.end("lost");
  const swallowed = dial(proxy.port);
  await proxy.until((connections) => connections.length === 2);
  await proxy.resume();
  const { client, served } = await connect();
  client.socket.write("found");
  await served.received("found");
  await roundTrips(line);
  expect([lost.served.text, swallowed.text]).toEqual(["", ""]);
  expect(server.accepted).toHaveLength(3); // the lost, the found, and the one past the proxy
  expect(proxy.connections.map(({ isOpen }) => isOpen)).toEqual([true, true, true]);
});

test.each([
  { by: "fin", ending: "end" },
  { by: undefined, ending: "ECONNRESET" },
] as const)("cut ends an open connection by $by, and the next one works", async (way) => {
  const { proxy, connect } = await start();
  const { client, served } = await connect();
  proxy.cut(way.by);
  expect([await served.ending, await client.ending]).toEqual([way.ending, way.ending]);
  const next = await connect();
  next.client.socket.write("hello");
  await next.served.received("hello");
});

test("refuse rejects new connections and keeps open ones, until resume opens the port again", async () => {
  const { proxy, connect } = await start();
  const { client, served } = await connect();
  const { port } = proxy;
  proxy.refuse();
  expect(await dial(port).ending).toBe("ECONNREFUSED");
  client.socket.write("still here");
  await served.received("still here");
  await proxy.resume();
  expect(proxy.port).toBe(port);
  const next = await connect();
  next.client.socket.write("hello");
  await next.served.received("hello");
});

test("a reset by the server resets the client, and so does an unreachable server", async () => {
  const { client, served } = await (await start()).connect();
  served.socket.resetAndDestroy();
  expect(await client.ending).toBe("ECONNRESET");

  const proxy = await startTcpFaultProxy("http://127.0.0.1:9");
  atEnd(() => proxy.close());
  expect(await dial(proxy.port).ending).toBe("ECONNRESET");
});

test("closing twice ends every connection and drops delayed bytes", async () => {
  const { proxy, connect } = await start({ request: { delayMs: 600_000 } });
  const { client, served } = await connect();
  client.socket.write("never");
  proxy.stall();
  await Promise.all([proxy.close(), proxy[Symbol.asyncDispose]()]);
  expect(proxy.connections).toMatchObject([{ isOpen: false, requestBytes: 0 }]);
  await Promise.all([client.ending, served.ending]);
  expect(await dial(proxy.port).ending).toBe("ECONNREFUSED");
});
