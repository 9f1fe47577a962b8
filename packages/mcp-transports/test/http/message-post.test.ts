import { describe, expect, test, vi } from "vitest";
import { createEventFeed } from "../../src/http/event-feed.ts";
import type { HttpCallListener } from "../../src/http/http-call.ts";
import { createMessagePost } from "../../src/http/message-post.ts";

const EVENTS = { "content-type": "text/event-stream" };

/** Sends a call, which may be answered on another stream. */
function post() {
  const onMessage = vi.fn();
  const { promise, resolve } = Promise.withResolvers<HttpCallListener>();
  const sent = createMessagePost(
    {
      maxMessageBytes: 0,
      call(_, listener) {
        resolve(listener);
        return { abort() {} };
      },
      openFeed: (_, events) =>
        createEventFeed({
          isStanding: false,
          maxEventBytes: 0,
          open: () => expect.fail("the stream was resumed"),
          mayResume: () => true,
          ...events,
        }),
      onMessage,
      onStray() {},
      onAccepted() {},
      onLingering: () => () => {},
      onSettled() {},
      awaitElsewhere: () => true,
      explain: () => new Error("it was refused"),
    },
    { message: { jsonrpc: "2.0", id: 1, method: "tools/call" }, hasSession: true },
  );
  sent.start();
  return { sent, onMessage, listener: promise };
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
