import { describe, expect, it } from "vitest";
import { readChallenge } from "../src/challenge.ts";

const URL_TEXT = "https://server.example/prm?a=b";

describe("a WWW-Authenticate challenge", () => {
  it.each([
    `Bearer resource_metadata="${URL_TEXT}"`,
    `bearer RESOURCE_METADATA="${URL_TEXT}"`,
    `Bearer resource_metadata = "${URL_TEXT}"`,
    `Bearer resource_metadata=${URL_TEXT}`,
    `Negotiate, Bearer resource_metadata="${URL_TEXT}"`,
    `Negotiate YII, Bearer resource_metadata="${URL_TEXT}"`,
    `Negotiate YIIabc==, Bearer resource_metadata="${URL_TEXT}"`,
    `Basic realm="x", Bearer resource_metadata="${URL_TEXT}"`,
    `Basic realm="a, Bearer resource_metadata=\\"https://evil.example\\"", Bearer resource_metadata="${URL_TEXT}"`,
    `DPoP algs="ES256", Bearer realm="r", resource_metadata="${URL_TEXT}", Basic realm="y"`,
    `Basic realm="x" Bearer realm="r" resource_metadata="${URL_TEXT}"`,
    `Bearer realm="other", Bearer resource_metadata="${URL_TEXT}"`,
    `, ,Bearer resource_metadata="${URL_TEXT}", resource_metadata="https://second.example"`,
  ])("yields the metadata URL: %s", (wwwAuthenticate) => {
    expect(readChallenge({ wwwAuthenticate }).resourceMetadataUrl?.href).toBe(URL_TEXT);
  });

  it("is read from its Bearer part only, ignoring Basic and error_description", () => {
    const wwwAuthenticate = `Basic realm="a", scope="basic", Bearer error_description="scope=admin, error=x", error="insufficient_scope", scope="read \\"write"`;
    expect(readChallenge({ wwwAuthenticate })).toEqual({
      resourceMetadataUrl: undefined,
      scope: 'read "write',
      isInsufficientScope: true,
    });
  });

  it.each([
    `Bearer error="insufficient_scope", scope="write", Bearer resource_metadata="${URL_TEXT}"`,
    `Bearer resource_metadata="${URL_TEXT}", Bearer error="insufficient_scope", scope="write"`,
    `Bearer resource_metadata="${URL_TEXT}", scope="read", Bearer error="insufficient_scope", scope="write"`,
    `Bearer error="insufficient_scope", Bearer resource_metadata="${URL_TEXT}", scope="write"`,
    `Bearer realm="x", scope="read", Bearer error="insufficient_scope", scope="write", resource_metadata="${URL_TEXT}"`,
  ])("yields insufficient_scope, the scope and the metadata URL in any order: %s", (wwwAuthenticate) => {
    const { resourceMetadataUrl, ...read } = readChallenge({ wwwAuthenticate });
    expect(resourceMetadataUrl?.href).toBe(URL_TEXT);
    expect(read).toEqual({ scope: "write", isInsufficientScope: true });
  });

  it.each([
    `Bearer resource_metadata="${URL_TEXT}", Bearer scope="write"`,
    `Bearer realm="x", Bearer scope="write"`,
    `Bearer error="insufficient_scope", Bearer scope="write"`,
  ])("yields the scope of a second Bearer part: %s", (wwwAuthenticate) => {
    expect(readChallenge({ wwwAuthenticate }).scope).toBe("write");
  });

  it.each([
    undefined,
    "",
    "Basic realm=x",
    `Basic scope="a"`,
    "Bearer",
    `Bearer error_description="токен истёк"`,
    `Bearer scope="never ends`,
    `Bearer resource_metadata="no url"`,
    `Negotiate Bearer`,
    `====,=="", "`,
  ])("yields nothing: %j", (wwwAuthenticate) => {
    expect(readChallenge({ wwwAuthenticate })).toEqual({
      resourceMetadataUrl: undefined,
      scope: undefined,
      isInsufficientScope: false,
    });
  });

  it.each(["a", " ", ",", '"', "\\", "=", "a=", 'a="', "a ", 'a="b" ', "Bearer "])(
    "is parsed before the test times out when it repeats %j 500,000 times",
    (part) => {
      expect(readChallenge({ wwwAuthenticate: `Bearer ${part.repeat(500_000)}` }).scope).toBeUndefined();
    },
  );
});
