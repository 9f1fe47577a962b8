import { describe, expect, test } from "vitest";
import { chooseProxy as choose } from "../../src/node.ts";

const chooseProxy = (origin: string, environment: NodeJS.ProcessEnv) => choose(origin, environment).proxy;
const PROXY = "http://proxy.corp:3128/";

describe("the proxy from the environment", () => {
  test.each([
    [
      "is the one for the URL's protocol",
      "https://mcp.invalid",
      { https_proxy: PROXY, http_proxy: "http://other:1" },
      PROXY,
    ],
    [
      "is HTTP_PROXY for https if there is no HTTPS_PROXY",
      "https://mcp.invalid",
      { HTTP_PROXY: PROXY },
      PROXY,
    ],
    ["is never HTTPS_PROXY for http", "http://mcp.invalid", { HTTPS_PROXY: PROXY }, undefined],
    [
      "is the lower-case variable, even if it is empty",
      "http://mcp.invalid",
      { http_proxy: "", HTTP_PROXY: PROXY },
      undefined,
    ],
    ["may lack a scheme", "http://mcp.invalid", { HTTP_PROXY: "proxy.corp:3128" }, PROXY],
    ["may be only a host", "http://mcp.invalid", { HTTP_PROXY: "127.0.0.1" }, "http://127.0.0.1/"],
    [
      "may have a login and no scheme",
      "http://mcp.invalid",
      { HTTP_PROXY: "a:b@proxy:1" },
      "http://a:b@proxy:1/",
    ],
    ["is none if its variable is blank", "http://mcp.invalid", { HTTP_PROXY: " " }, undefined],
    [
      "is HTTP_PROXY for https if HTTPS_PROXY is blank",
      "https://mcp.invalid",
      { HTTPS_PROXY: " ", HTTP_PROXY: PROXY },
      PROXY,
    ],
  ])("%s", (_, origin, environment, expected) => {
    expect(chooseProxy(origin, environment)).toBe(expected);
  });

  test.each(["http://[bad", "ftp://x", "http://", "http://a:%zz-secret@proxy:1", "http://proxy:999999"])(
    "with the invalid value %j is none, and the variable is named",
    (value) => {
      const choice = choose("http://mcp.invalid", { HTTP_PROXY: value });
      expect(choice).toEqual({ invalidVariable: "HTTP_PROXY" });
      expect(chooseProxy("http://mcp.invalid", { HTTP_PROXY: value, NO_PROXY: "*" })).toBeUndefined();
      expect(chooseProxy("http://mcp.invalid", { HTTPS_PROXY: value })).toBeUndefined();
    },
  );

  test.each([
    ["http://mcp.invalid", "mcp.invalid", true],
    ["http://mcp.invalid", "foo, MCP.INVALID.", true],
    ["http://mcp.invalid.", "mcp.invalid", true],
    ["http://mcp.invalid", ".invalid", true],
    ["http://mcp.invalid", "invalid", true],
    ["http://mcp.invalid", "*.invalid", true],
    ["http://mcp.invalid", "*.mcp.invalid", false],
    ["http://mcp.invalid", "cp.invalid", false],
    ["http://mcp.invalid", "mcp.invalid:80", true],
    ["http://mcp.invalid", "mcp.invalid:81", false],
    ["https://mcp.invalid:8443", "mcp.invalid:8443", true],
    ["http://mcp.invalid", "other,*", true],
    ["http://mcp.invalid", "*:81", false],
    ["http://[fe80::1]", "fe80::1", true],
    ["http://[fe80::1]:81", "[fe80::1]:81", true],
    ["http://[fe80::1]:81", "[fe80::1]", true],
    ["http://mcp.invalid", "", false],
    ["http://192.0.2.7", "192.0.2.0/24", true],
    ["http://192.0.2.7:81", "localhost, 192.0.0.0/8", true],
    ["http://192.0.2.7", "192.0.3.0/24", false],
    ["http://192.0.2.7", "192.0.2.0/33", false],
    ["http://192.0.2.7", "192.0.2.0/", false],
    ["http://192.0.2.7", "2001:db8::/32", false],
    ["http://[2001:db8::7]", "2001:db8::/32", true],
    ["http://[2001:db8::7]", "[2001:db8::]/32", true],
    ["http://[2001:db9::7]", "2001:db8::/32", false],
    ["http://mcp.invalid", "0.0.0.0/0", false],
  ])("is bypassed for %s with NO_PROXY=%s: %s", (origin, exceptions, isPassedBy) => {
    const proxy = chooseProxy(origin, { http_proxy: PROXY, https_proxy: PROXY, no_proxy: exceptions });
    expect(proxy).toBe(isPassedBy ? undefined : PROXY);
  });

  test.each([
    "http://localhost",
    "http://LOCALHOST.",
    "http://app.localhost",
    "http://127.1",
    "http://127.3.2.1:81",
    "http://0.0.0.0",
    "http://[::1]",
    "http://[::]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:0.0.0.0]",
  ])("is not used for the local machine: %s", (origin) => {
    expect(chooseProxy(origin, { HTTP_PROXY: PROXY })).toBeUndefined();
  });

  test.each([
    "http://10.0.0.1",
    "http://128.0.0.1",
    "http://notlocalhost",
    "http://[::ffff:10.0.0.1]",
    "http://[::2]",
  ])("is used for other machines: %s", (origin) => {
    expect(chooseProxy(origin, { HTTP_PROXY: PROXY })).toBe(PROXY);
  });
});
