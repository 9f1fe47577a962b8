import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EventFeed } from "../../src/http/event-feed.ts";
import type { HttpCallListener } from "../../src/http/http-call.ts";
import { MessagePost } from "../../src/http/message-post.ts";
import { connect } from "../connecting.ts";
import { startHttpServer } from "../http-server.ts";

const EVENTS = { "content-type": "text/event-stream" };

afterEach(() => void vi.useRealTimers());

/** Sends a call, which may be answered on another stream. */
function post() {
  const onMessage = vi.fn();
  const abort = vi.fn();
  const stopLingering = vi.fn();
  const onLingering = vi.fn((_end: () => void) => stopLingering);
  const { promise, resolve } = Promise.withResolvers<HttpCallListener>();
  const sent = new MessagePost(
    {
      maxMessageBytes: 0,
      call(_, listener) {
        resolve(listener);
        return { abort };
      },
      openFeed: (_, events) =>
        new EventFeed({
          isStanding: false,
          maxEventBytes: 0,
          open: () => expect.fail("the stream was resumed"),
          mayResume: () => true,
          ...events,
        }),
      onMessage,
      onStray() {},
      onAccepted() {},
      onLingering,
      onSettled() {},
      awaitElsewhere: () => true,
      explain: () => new Error("it was refused"),
    },
    { message: { jsonrpc: "2.0", id: 1, method: "tools/call" }, hasSession: true },
  );
  sent.start();
  return { sent, onMessage, abort, onLingering, stopLingering, listener: promise };
}

describe("a 202 that claims to be an event stream", () => {
  test("leaves the answer to another stream if it is empty", async () => {
    const { sent, listener } = post();
    const call = await listener;
    call.onAccepted(202, EVENTS).end();
    call.onEnd();
    expect(sent.waitsForOtherStreams).toBe(true);
    sent.answeredElsewhere();
    expect(await sent.settled).toBe("done");
  });

  test("fails the call if it ends without the answer after a comment", async () => {
    const { sent, listener } = post();
    const call = await listener;
    call.onAccepted(202, EVENTS).push(Buffer.from(": hi\n\n"));
    call.onEnd();
    expect(sent.waitsForOtherStreams).toBe(false);
    await expect(sent.settled).rejects.toThrow("its answer broke off");
  });

  test("may bring the answer itself", async () => {
    const { sent, listener, onMessage } = post();
    const call = await listener;
    const answer = { jsonrpc: "2.0", id: 1, result: {} };
    call.onAccepted(202, EVENTS).push(Buffer.from(`data: ${JSON.stringify(answer)}\n\n`));
    call.onEnd();
    expect(await sent.settled).toBe("done");
    expect(onMessage).toHaveBeenCalledWith(answer, expect.anything());
  });
});

describe("a call that is answered on another stream", () => {
  const open = async () => {
    const posted = post();
    const call = await posted.listener;
    call.onAccepted(200, EVENTS).push(Buffer.from(": hi\n\n"));
    posted.sent.answeredElsewhere();
    expect(await posted.sent.settled).toBe("done");
    return { ...posted, call };
  };

  test("gives its own stream no more than the time for lingering streams", async () => {
    const { onLingering, abort } = await open();
    expect(onLingering).toHaveBeenCalledTimes(1);
    expect(abort).not.toHaveBeenCalled();
    onLingering.mock.calls[0]?.[0]();
    expect(abort).toHaveBeenCalledTimes(1);
  });

  test("no longer counts as lingering once its own stream has ended", async () => {
    const { call, stopLingering } = await open();
    expect(stopLingering).not.toHaveBeenCalled();
    call.onEnd();
    expect(stopLingering).toHaveBeenCalledTimes(1);
  });

  test("does not linger if its own stream had ended before", async () => {
    const { sent, listener, onLingering } = post();
    const call = await listener;
    call.onAccepted(202, {}).end();
    call.onEnd();
    sent.answeredElsewhere();
    expect(onLingering).not.toHaveBeenCalled();
  });

  test.each([200, 202])("closes its own stream of a server that keeps it open (HTTP %d)", async (code) => {
    let standing: ServerResponse | undefined;
    const closed = Promise.withResolvers<void>();
    const hasClosed = vi.fn();
    const server = await startHttpServer(({ request, response, message }) => {
      if (request.method !== "GET" && message?.method !== "tools/call") return false;
      response.writeHead(request.method === "GET" ? 200 : code, EVENTS).flushHeaders();
      if (request.method === "GET") standing = response;
      else {
        response.once("close", hasClosed).once("close", closed.resolve);
        const answer = { jsonrpc: "2.0", id: message.id, result: { content: [] } };
        standing?.write(`data: ${JSON.stringify(answer)}\n\n`);
      }
      return true;
    });
    const session = await connect(server);
    await vi.waitUntil(() => standing);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    expect(await session.request("tools/call", { name: "echo" })).toEqual({ content: [] });
    vi.advanceTimersByTime(1999);
    expect(hasClosed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await closed.promise;
  });
});
