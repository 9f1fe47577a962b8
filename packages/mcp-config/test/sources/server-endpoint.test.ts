import type { HttpServerDefinition, ToolFilter } from "@jackfield/mcp-core";
import { casesOf } from "@jackfield/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpointOf, endpointStem, offeredTools } from "../../src/sources/server-endpoint.ts";
import type { SourceEntry } from "../../src/sources/server-source.ts";

function entryOf(host: string, words: readonly string[]): SourceEntry {
  const [command = "", ...args] = words;
  const definedIn = { scope: "user", host } as const;
  return {
    name: "server",
    definedIn,
    outcome: { definition: { name: "server", definedIn, transport: "stdio", command, args } },
  };
}

function remoteEntryOf(host: string, url: string, more: Partial<HttpServerDefinition> = {}): SourceEntry {
  const definedIn = { scope: "user", host } as const;
  const definition = { name: "server", definedIn, transport: "http", url, ...more } as HttpServerDefinition;
  return { name: "server", definedIn, outcome: { definition } };
}

const URL = "https://example.com/mcp";

const pieces = ["npx", "-y", " ", "$", "{", "}", "!", "%", "A", "$A", "${A}", "${env:A}", "${A:-b}", "%A%"];
const words = fc.array(fc.array(fc.constantFrom(...pieces), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
});
const hosts = fc.constantFrom("jackfield", "cursor", "crush", "omp", "lm-studio", "vscode");

describe("endpointOf and endpointStem", () => {
  test("are equal for a reference in two hosts' spellings", () => {
    const [own, other] = [
      entryOf("jackfield", ["npx", "a", "${A}"]),
      entryOf("cursor", ["npx", "a", "${env:A}"]),
    ];
    expect(endpointOf(own)).toBe(endpointOf(other));
    expect(endpointStem(own)).toBe(endpointStem(other));
  });

  test("endpointStem differs for two packages of one launcher", () => {
    expect(endpointStem(entryOf("cursor", ["npx", "-y", "one"]))).not.toBe(
      endpointStem(entryOf("cursor", ["npx", "-y", "two"])),
    );
  });

  test.each([
    ["jackfield", "https://example.com/mcp", "cursor", "HTTPS://EXAMPLE.com:443/a/../mcp/"],
    ["jackfield", "https://ex%61mple.com/mcp", "vscode", "https://example.com/mcp"],
    ["jackfield", "https://example.com/${A}", "cursor", "https://example.com/${env:A}"],
  ])("are equal for two spellings of a URL: %s %s, %s %s", (host, url, otherHost, otherUrl) => {
    const [own, other] = [remoteEntryOf(host, url), remoteEntryOf(otherHost, otherUrl)];
    expect(endpointOf(own)).toBe(endpointOf(other));
    expect(endpointStem(own)).toBe(endpointStem(other));
  });

  test("endpointStem differs for two URLs", () => {
    const stems = ["https://one.example/mcp", "https://two.example/mcp"].map((url) =>
      endpointStem(remoteEntryOf("cursor", url)),
    );
    expect(new Set(stems).size).toBe(2);
  });

  test("endpointOf is equal for a token in a header and one named by bearerTokenEnv", () => {
    const named = remoteEntryOf("codex", URL, {
      bearerTokenEnv: "T",
      headers: { "X-A": "a", authorization: "replaced" },
    });
    const written = { Authorization: "Bearer ${T}", "X-A": "a" };
    expect(endpointOf(named)).toBe(endpointOf(remoteEntryOf("jackfield", URL, { headers: written })));
    const other = remoteEntryOf("jackfield", URL, { headers: { ...written, Authorization: "Bearer ${U}" } });
    expect(endpointOf(named)).not.toBe(endpointOf(other));
  });

  test.each<[ToolFilter | undefined, ToolFilter | undefined, boolean]>([
    [undefined, { exclude: ["delete"] }, false],
    [undefined, { include: ["a"] }, false],
    [{ include: ["a"] }, { exclude: ["a"] }, false],
    [{ include: [] }, undefined, false],
    [{ exclude: [] }, undefined, true],
    [{ include: ["b", "a", "b"] }, { include: ["a", "b"] }, true],
    [{ exclude: ["b", "a"] }, { exclude: ["a", "a", "b"] }, true],
  ])("endpointOf ignores tool filters, which offeredTools compares: %j, %j", (own, other, isSame) => {
    const [stronger, weaker] = [own, other].map((tools) =>
      remoteEntryOf("cursor", URL, tools && { tools }),
    ) as [SourceEntry, SourceEntry];
    expect(endpointOf(stronger)).toBe(endpointOf(weaker));
    expect(offeredTools(stronger) === offeredTools(weaker)).toBe(isSame);
  });

  test("ignore the transport, but endpointOf distinguishes a URL from a command line", () => {
    const http = remoteEntryOf("cursor", URL);
    const sse = remoteEntryOf("cline", URL, { transport: "sse" } as object);
    expect(endpointOf(http)).toBe(endpointOf(sse));
    expect(endpointOf(http)).not.toBe(endpointOf(entryOf("cursor", [URL])));
    expect(endpointStem(http)).toBe(endpointStem(sse));
  });

  test("stems are equal whenever endpoints are equal", () => {
    fc.assert(
      fc.property(hosts, hosts, words, words, (host, otherHost, written, others) => {
        const entry = entryOf(
          host,
          written.map((word) => word.join("")),
        );
        for (const word of [others, written]) {
          const other = entryOf(
            otherHost,
            word.map((parts) => parts.join("")),
          );
          if (endpointOf(entry) === endpointOf(other)) expect(endpointStem(entry)).toBe(endpointStem(other));
        }
      }),
      casesOf(300, 5_000),
    );
  });
});
