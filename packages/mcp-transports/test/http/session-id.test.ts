import { describe, expect, test } from "vitest";
import { idsInEndpoint, withSessionId } from "../../src/http/session-id.ts";

const SERVER = new URL("https://shop.example/model-context-protocol/sse");
const idsOf = (endpoint: string) => idsInEndpoint(new URL(endpoint, SERVER), SERVER);

describe("session ids in an HTTP+SSE endpoint", () => {
  test.each([
    ["/messages?sessionId=short", ["short"]],
    ["/messages?access_token=a%2Db", ["a%2Db", "a-b"]],
    ["/messages?session=a+b", ["a+b", "a b"]],
    ["/messages?session=%", ["%"]],
    ["/messages?id=k3j2h4", ["k3j2h4"]],
    ["/messages?connection_id=k3j2h4", ["k3j2h4"]],
    ["/messages?stream-id=k3j2h4", ["k3j2h4"]],
    ["/messages?clientId=k3j2h4", ["k3j2h4"]],
    ["/messages?channelID=k3j2h4", ["k3j2h4"]],
    ["/messages?conn=k3j2h4", ["k3j2h4"]],
    ["/messages?transport=k3j2h4", ["k3j2h4"]],
    ["/messages?t=c0ffee00-1122-3344", ["c0ffee00-1122-3344"]],
    ["/messages?c0ffee00-1122-3344", ["c0ffee00-1122-3344"]],
    ["/messages/c0ffee00-1122-3344/in", ["c0ffee00-1122-3344"]],
    ["/messages/QbTzKwhmPLxUvcRy", ["QbTzKwhmPLxUvcRy"]],
  ])("are found in %s", (endpoint, ids) => {
    expect(idsOf(endpoint)).toEqual(ids);
  });

  test.each([
    "/messages",
    "/messages?app=github&version=2",
    "/messages?app=my%20little%20app",
    "/messages?author=somebody",
    "/messages?id=5&clientId=agent&transport=http",
    "/messages?paid=yesterday&valid=certainly",
    "/model-context-protocol/messages",
    "/servers/customer-support-server/messages",
    "/servers/Customer-Support-Server/messages",
    "/servers/customer%20support%20server/messages",
  ])("are not found in %s, which holds no id", (endpoint) => {
    expect(idsOf(endpoint)).toEqual([]);
  });

  test("are limited to 16", () => {
    const query = Array.from({ length: 500 }, (_, index) => `session=value${index}`).join("&");
    expect(idsOf(`/messages?${query}`)).toHaveLength(16);
  });

  test("are split into pieces of at most 1024 characters", () => {
    const ids = idsOf(`/messages?token=${"x".repeat(2000)}${"y".repeat(500)}`);
    expect(ids.map(({ length }) => length)).toEqual([1024, 1024, 452]);
  });
});

test("withSessionId keeps the last sixteen ids", () => {
  const ids = Array.from({ length: 20 }, (_, index) => `session-${index}`);
  expect(ids.reduce<readonly string[]>(withSessionId, [])).toEqual(ids.slice(4));
});
