import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { McpError, Redactor } from "../src/index.ts";
import { REDACTED } from "../src/redactor.ts";

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function textOf(alphabet: string, length: number, next: (below: number) => number): string {
  return Array.from({ length }, () => alphabet[next(alphabet.length)]).join("");
}

const hide = (text: string, ...credentials: readonly string[]) => new Redactor(credentials).hide(text);

describe("a text", () => {
  test("loses every occurrence of every credential", () => {
    const text = "key=hunter22 again hunter22, other=s3cr3t!";
    expect(hide(text, "hunter22", "s3cr3t!")).toBe(`key=${REDACTED} again ${REDACTED}, other=${REDACTED}`);
  });

  test.each([
    [
      "a longer one that contains a shorter one",
      "Bearer token-1234-abcd",
      ["token-1234", "token-1234-abcd"],
      `Bearer ${REDACTED}`,
    ],
    ["credentials that overlap", "<abcdefghij>", ["abcdefgh", "efghij"], `<${REDACTED}>`],
    ["special characters", "a $&.*(x) b", ["$&.*(x)"], `a ${REDACTED} b`],
    ["one at either end", "hunter22 hunter22", ["hunter22"], `${REDACTED} ${REDACTED}`],
    ["nothing but one", "hunter22", ["hunter22"], REDACTED],
    [
      "nothing of values that are empty or a few letters long",
      "the answer is yes",
      ["", "i", "is", "yes"],
      "the answer is yes",
    ],
  ])("loses %s", (_what, text, credentials, expected) => {
    expect(hide(text, ...credentials)).toBe(expected);
  });

  test("agrees with a plain search, whatever the credentials", () => {
    const next = numbers(1);
    for (let round = 0; round < 2_000; round += 1) {
      const words = Array.from({ length: next(8) }, () => textOf("abc", 6 + next(4), next));
      const text = textOf("abc", next(60), next);
      const isHidden = words.some((one) => text.includes(one));
      const redactor = new Redactor(words);
      expect(redactor.finds(text)).toBe(isHidden);
      const shown = redactor.hide(text);
      expect(shown !== text).toBe(isHidden);
      for (const part of shown.split(REDACTED)) for (const one of words) expect(part).not.toContain(one);
    }
  });

  test("is searched once, however many credentials there are", () => {
    const credentials = Array.from(
      { length: 5_000 },
      (_, at) => `eyJhbGciOiJSUzI1NiJ9.shared-beginning.${at}-signature`,
    );
    const redactor = new Redactor(credentials);
    const text = '"a","eyJhbGciOiJSUzI1NiJ9.shared-beginning",'.repeat(50_000);
    // A pass for each spelling of each credential would take minutes.
    expect(redactor.hide(text + credentials[4_321])).toBe(text + REDACTED);
  });

  test("hides a value of 100 kB, and each line of it", () => {
    const lines = Array.from({ length: 1_600 }, (_, at) => `line-${at}-${"x".repeat(50)}`);
    const redactor = new Redactor([lines.join("\n")]);
    expect(redactor.hide(`<${lines.join("\n")}>`)).toBe(`<${REDACTED}>`);
    expect(redactor.hide(`<${lines[800]}>`)).toBe(`<${REDACTED}>`);
  });
});

const WRITTEN: readonly (readonly [string, (secret: string) => string])[] = [
  ["as plain text", (secret) => secret],
  ["as JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["as JSON in JSON", (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
  [
    "as JSON in JSON in JSON",
    (secret) => JSON.stringify(JSON.stringify(JSON.stringify(secret))).slice(7, -7),
  ],
  ["in a JSON Pointer", (secret) => secret.replaceAll("~", "~0").replaceAll("/", "~1")],
  ["percent-encoded", (secret) => encodeURIComponent(secret)],
  [
    "percent-encoded in lower case",
    (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ],
  [
    "percent-encoded in either case",
    (secret) => {
      let at = 0;
      return encodeURIComponent(secret).replace(/%../g, (code) => (at++ % 2 ? code : code.toLowerCase()));
    },
  ],
  [
    "percent-encoded in an address within an address",
    (secret) => encodeURIComponent(encodeURIComponent(secret)),
  ],
  [
    "percent-encoded twice in lower case",
    (secret) =>
      encodeURIComponent(encodeURIComponent(secret)).replace(/%25../g, (code) => code.toLowerCase()),
  ],
  ["as form data", (secret) => new URLSearchParams({ a: secret }).toString().slice(2)],
  ["in base64", (secret) => Buffer.from(secret).toString("base64")],
  ["in base64url", (secret) => Buffer.from(secret).toString("base64url")],
  ["in hexadecimal", (secret) => Buffer.from(secret).toString("hex")],
  [
    "in HTML",
    (secret) =>
      secret
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;")
        .replaceAll('"', "&quot;")
        .replaceAll("'", "&#39;"),
  ],
];

describe("a credential is hidden", () => {
  const ASCII = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code)).join("");
  const next = numbers(2);
  const secrets = Array.from({ length: 200 }, () => `x${textOf(ASCII, 8 + next(30), next)}y`);

  test.each(WRITTEN)("%s", (_how, write) => {
    for (const value of secrets) expect(hide(`<${write(value)}>`, value)).not.toContain(write(value));
  });

  test.each([0, 1, 2])("in base64 after %i other bytes", (before) => {
    for (const value of secrets) {
      const whole = Buffer.from(`${"u".repeat(before)}${value}${textOf(ASCII, next(5), next)}`);
      for (const encoding of ["base64", "base64url"] as const) {
        const hidden = hide(whole.toString(encoding), value);
        expect(hidden).toContain(REDACTED);
        // At most one byte at either end shares a character with a neighbour.
        expect(hidden.replace(REDACTED, "").length).toBeLessThanOrEqual(whole.length - value.length + 12);
      }
    }
  });

  test.each([
    ["Python", String.raw`p\u00e4ss-\ud83d\ude00-w/rd&<\"`],
    ["Go", String.raw`päss-😀-w/rd\u0026\u003c\"`],
    ["PHP", String.raw`p\u00e4ss-\ud83d\ude00-w\/rd&<\"`],
    ["PHP, told to keep Unicode", String.raw`päss-😀-w\/rd&<\"`],
  ])("in the JSON of %s, and in JSON that contains it", (_program, json) => {
    for (let text = json, rounds = 0; rounds < 3; rounds += 1) {
      expect(hide(`<${text}>`, 'päss-😀-w/rd&<"')).toBe(`<${REDACTED}>`);
      text = JSON.stringify(text).slice(1, -1);
    }
  });

  test.each([
    ["the JSON of Gson", String.raw`a\u0026b\u003cc\u0027+de\u003d\u003d\"`],
    ["the JSON of .NET", String.raw`a\u0026b\u003Cc\u0027\u002Bde==\u0022`],
    ["what `util.inspect` prints", String.raw`a&b<c\'+de=="`],
    ["the HTML of Python and Go", "a&amp;b&lt;c&#39;+de==&#34;"],
    ["the HTML of a template in Go", "a&amp;b&lt;c&#39;&#43;de==&#34;"],
    ["the HTML of a template in Mustache", "a&amp;b&lt;c&#39;+de&#x3D;&#x3D;&quot;"],
  ])("in %s", (_program, text) => {
    expect(hide(`<${text}>`, `a&b<c'+de=="`)).toBe(`<${REDACTED}>`);
  });

  test("in the other form of the same letters", () => {
    expect(hide("pässwörd-1".normalize("NFD"), "pässwörd-1".normalize("NFC"))).toBe(REDACTED);
    expect(hide("pässwörd-1".normalize("NFC"), "pässwörd-1".normalize("NFD"))).toBe(REDACTED);
  });

  const PEM = "-----BEGIN KEY-----\nfirst-line-of-it\nsecond-line-of-it\nabc=\n-----END KEY-----\n";

  test.each([
    ["whole", PEM, REDACTED],
    ["with other line breaks", PEM.replaceAll("\n", "\r\n"), `${REDACTED}\r\n`],
    ["by line", "read: second-line-of-it", `read: ${REDACTED}`],
    ["escaped", JSON.stringify(PEM), `"${REDACTED}"`],
    [
      "with its lines joined",
      PEM.replaceAll("\n", " "),
      `-----BEGIN KEY----- ${REDACTED} ${REDACTED} abc= -----END KEY----- `,
    ],
  ])("of several lines: %s", (_how, text, expected) => {
    expect(hide(text, PEM)).toBe(expected);
  });
});

describe("at the cuts of a text", () => {
  const redactor = new Redactor(["s3cr3t-tökén-of-ada"]);

  test.each([
    [
      "the end of a credential is hidden at the start",
      "tökén-of-ada and more",
      { start: true },
      `${REDACTED} and more`,
    ],
    ["the beginning of one is hidden at the end", "more of s3cr3t-tök", { end: true }, `more of ${REDACTED}`],
    ["both are", "-of-ada and s3cr3t-", { start: true, end: true }, `${REDACTED} and ${REDACTED}`],
    ["the middle of one that is all there is, is hidden", "t-tökén-o", { start: true, end: true }, REDACTED],
    ["few characters stay", "-ada and s3cr3", { start: true, end: true }, "-ada and s3cr3"],
    ["a text that was not cut stays", "-of-ada and s3cr3t-", {}, "-of-ada and s3cr3t-"],
  ])("%s", (_what, text, cut, expected) => {
    expect(redactor.hide(text, cut)).toBe(expected);
  });
});

describe("what is added and removed", () => {
  test("is hidden until it was removed as often as it was added", () => {
    const redactor = new Redactor();
    redactor.add(["first-key", "other-key"]);
    redactor.add(["first-key"]);
    redactor.remove(["first-key"]);
    expect(redactor.hide("first-key")).toBe(REDACTED);
    redactor.remove(["first-key", "never-added"]);
    expect(redactor.hide("first-key other-key")).toBe(`first-key ${REDACTED}`);
    redactor.remove(["other-key"]);
    expect(redactor.isEmpty).toBe(true);
    expect(redactor.hide("other-key")).toBe("other-key");
  });

  test("keeps what another credential shares with it", () => {
    const redactor = new Redactor(["line-one-of-it\nline-two-of-it", "line-one-of-it\nline-three-of-it"]);
    expect(redactor.hide("line-one-of-it")).toBe(REDACTED);
    redactor.remove(["line-one-of-it\nline-two-of-it"]);
    expect(redactor.hide("line-one-of-it line-two-of-it")).toBe(`${REDACTED} line-two-of-it`);
  });
});

describe("the fields of a log line", () => {
  const redactor = new Redactor(["hunter22"]);

  test("keep names of members and identifiers", () => {
    const fields = {
      server: "hunter22",
      tool: "hunter22",
      code: "hunter22",
      hunter22: "is hunter22",
      data: { server: "hunter22" },
    };
    expect(redactor.hideIn(fields)).toEqual({
      ...fields,
      hunter22: `is ${REDACTED}`,
      data: { server: REDACTED },
    });
  });

  test("are the same object if they hold no credential, but in what is never changed", () => {
    const fields = { server: "hunter22", a: [1, { b: "text" }], error: new Error("plain") };
    expect(redactor.hideIn(fields)).toBe(fields);
    const error = new McpError("MCP_CONNECT_FAILED", "no", { server: "hunter22", tool: "hunter22" });
    expect(redactor.hideIn(error)).toBe(error);
  });

  test("may be cyclic, deep, or impossible to read", () => {
    const cyclic: { [name: string]: unknown } = { text: "hunter22" };
    cyclic.self = cyclic;
    let deep: unknown = "hunter22";
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const unreadable = Object.defineProperty({ text: "hunter22" }, "getter", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    for (const data of [cyclic, deep, proxy, unreadable, [proxy, "hunter22"]]) {
      const shown = redactor.hideIn({ data });
      expect(inspect(shown, { depth: 200 })).not.toContain("hunter22");
    }
    expect(redactor.hideIn({ data: cyclic })).toEqual({ data: { text: REDACTED, self: "[circular]" } });
  });

  test("take linear work", () => {
    const data = Array.from({ length: 200_000 }, (_, at) => `entry ${at}`);
    const many = new Redactor(Array.from({ length: 500 }, (_, at) => `credential-number-${at}`));
    expect(many.hideIn({ data })).toEqual({ data });
  });

  test.each<[string, unknown]>([
    ["a buffer", Buffer.from("is hunter22")],
    ["the memory of a buffer", Uint8Array.from(Buffer.from("is hunter22")).buffer],
    ["headers", new Headers({ authorization: "Bearer hunter22" })],
    ["a URL", new URL("https://u:hunter22@h.example")],
    ["a map", new Map([["key", "hunter22"]])],
    ["a set", new Set(["hunter22"])],
    ["a symbol's member", { [Symbol("key")]: "hunter22" }],
  ])("hide it in %s", (_what, data) => {
    const text = inspect(redactor.hideIn({ data }), { depth: 9 });
    expect(text).not.toContain("hunter22");
    expect(text).not.toContain(
      Buffer.from("hunter22")
        .toString("hex")
        .replaceAll(/(..)(?=.)/g, "$1 "),
    );
  });
});

describe("an error", () => {
  const redactor = new Redactor(["hunter22"]);
  const shown = (error: unknown) => inspect(error, { depth: 20, showHidden: true });

  test("is the same object if nothing that hangs on it holds a credential", () => {
    const error = new McpError("MCP_CONNECT_FAILED", "no", { cause: new Error("why") });
    expect(redactor.hideIn(error)).toBe(error);
  });

  test("keeps code, outcome, phase, server, tool and location, whatever a credential is equal to", () => {
    const values = new Redactor([
      "unknown",
      "tracker",
      "charge",
      "/mcpServers/tracker",
      "MCP_OUTCOME_UNKNOWN",
    ]);
    const details = {
      server: "tracker",
      tool: "charge",
      phase: "call",
      outcome: "unknown",
      location: { file: "f", pointer: "/mcpServers/tracker" },
    } as const;
    const error = new McpError("MCP_OUTCOME_UNKNOWN", 'Server "tracker" is lost.', {
      ...details,
      stderr: "of tracker",
    });
    const hidden = values.hideIn(error);
    expect(hidden).toMatchObject({
      ...details,
      code: "MCP_OUTCOME_UNKNOWN",
      message: `Server "${REDACTED}" is lost.`,
      stderr: `of ${REDACTED}`,
    });
    expect(hidden).toBeInstanceOf(McpError);
  });

  test.each<[string, (text: string) => unknown]>([
    ["its message", (text) => new Error(text)],
    [
      "the message of a cause",
      (text) => new McpError("MCP_INTERNAL", "a", { cause: new Error("b", { cause: new Error(text) }) }),
    ],
    [
      "a member of a cause",
      (text) =>
        new Error("a", {
          cause: Object.assign(new Error("b"), { request: { headers: { authorization: text } } }),
        }),
    ],
    ["a buffer in a cause", (text) => new Error("a", { cause: { body: Buffer.from(text) } })],
    [
      "headers and URLs in a cause",
      (text) =>
        new Error("a", {
          cause: [new Headers({ a: text }), new URL(`https://h/?a=${encodeURIComponent(text)}`)],
        }),
    ],
    ["one of several errors", (text) => new AggregateError([new Error("a"), new Error(text)], "b")],
    [
      "a hidden member",
      (text) => Object.defineProperty(new Error("a"), "secret", { value: text, enumerable: false }),
    ],
    ["a text that was thrown", (text) => text],
    ["a cause that is a text", (text) => new Error("a", { cause: text })],
    [
      "a cause that leads back",
      (text) => {
        const error = new Error(text);
        error.cause = error;
        return error;
      },
    ],
  ])("loses it in %s", (_where, make) => {
    const before = shown(make("is hunter22"));
    expect(before).toMatch(/hunter22|68 75 6e/);
    const after = shown(redactor.hideIn(make("is hunter22")));
    expect(after).not.toMatch(/hunter22|68 75 6e/);
  });
});
