import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallResult } from "@jackfield/mcp-core";
import { classifyResult, resultText } from "@jackfield/mcp-tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limitResults } from "../../src/size/limit-results.ts";
import { resultDirectory } from "../../src/size/result-store.ts";
import { callThrough, offeredTool, textResult } from "../tool-fixture.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "jackfield-results-"));
});
afterEach(() => rm(directory, { recursive: true }));

const LONG = "y".repeat(1_000);

function texts(content: readonly object[]): string[] {
  return content.flatMap((block) => ("text" in block ? [String(block.text)] : []));
}

describe("limiting results", () => {
  test("[T45] a text that is too long is cut and a notice says how much is missing", async () => {
    const limited = await callThrough(limitResults({ maxResultChars: 10 }), textResult("0123456789abcdef"));
    expect(texts(limited.content)).toEqual([
      "0123456789",
      "[This result was too long. Missing: 6 of 16 characters of text.]",
    ]);
  });

  test("50,000 characters fit, one more does not", async () => {
    const fits = textResult("x".repeat(50_000));
    expect(await callThrough(limitResults(), fits)).toBe(fits);
    const limited = await callThrough(limitResults(), textResult("x".repeat(50_001)));
    expect(texts(limited.content)[1]).toContain("1 of 50001 characters");
  });

  test("a surrogate pair is not cut in two", async () => {
    const limited = await callThrough(limitResults({ maxResultChars: 2 }), textResult("a😀b"));
    expect(texts(limited.content)[0]).toBe("a");
  });

  test("all texts of a result share the limit", async () => {
    const answer = { content: ["aaaa", "bbbb", "cccc"].map((text) => ({ type: "text" as const, text })) };
    const limited = await callThrough(limitResults({ maxResultChars: 6 }), answer);
    expect(texts(limited.content)).toEqual(["aaaa", "bb", expect.stringContaining("6 of 12 characters")]);
  });

  test.each(["image", "audio"] as const)(
    "a part of type %s is limited by its decoded bytes and left out whole",
    async (type) => {
      const limit = limitResults({ maxBinaryBytes: 1000 });
      const answer = (bytes: number) => {
        const data = Buffer.alloc(bytes).toString("base64");
        return { content: [{ type, data, mimeType: `${type}/x` }] };
      };
      const fits = answer(1000);
      expect(await callThrough(limit, fits)).toBe(fits);
      const limited = await callThrough(limit, answer(1001));
      expect(limited.content).toEqual([
        {
          type: "text",
          text: `[This result was too long. Missing: a part of type ${type} with 1001 bytes.]`,
        },
      ]);
    },
  );

  test("structured content that does not fit is left out whole", async () => {
    const answer = { content: [], structuredContent: { text: "x".repeat(100) } };
    const limited = await callThrough(limitResults({ maxResultChars: 50 }), answer);
    expect(limited).not.toHaveProperty("structuredContent");
    expect(texts(limited.content)[0]).toContain("structured content of 111 characters");
  });

  test("a server's own limit beats the general one, also beside a server called __proto__", async () => {
    const limit = limitResults({ maxResultChars: 3, servers: { generous: { maxResultChars: 5 } } });
    const call = (server: string) =>
      callThrough(limit, textResult("abcdef"), { audience: "model" }, offeredTool({}, server));
    expect(texts((await call("generous")).content)[0]).toBe("abcde");
    expect(texts((await call("__proto__")).content)[0]).toBe("abc");
  });

  test("a program gets the whole result", async () => {
    const answer = textResult("x".repeat(100_000));
    expect(await callThrough(limitResults(), answer, { audience: "program" })).toBe(answer);
  });

  test("a store keeps the whole text in a private file that can be read in pages", async () => {
    const store = resultDirectory(join(directory, "results"));
    const provenance = { server: "files", tool: "read_file" };
    const whole = `${"0123456789".repeat(100)}😀`;
    const limited = await callThrough(limitResults({ maxResultChars: 10, store }), textResult(whole));
    const place = /The full result is in (.*)\.\]$/.exec(texts(limited.content)[1] ?? "")?.[1] ?? "";
    expect(await readFile(place, "utf8")).toBe(whole);
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "results"))).mode & 0o777).toBe(0o700);
    expect(await store.read(place, 990, 11)).toEqual({ text: "0123456789", nextOffset: 1000, provenance });
    expect(await store.read(place, 1000, 11)).toEqual({ text: "😀", nextOffset: undefined, provenance });
  });

  test("a store refuses to read a file it did not write", async () => {
    const store = resultDirectory(directory);
    await expect(store.read("/etc/passwd")).rejects.toMatchObject({ code: "MCP_REQUEST_REJECTED" });
  });

  test("a store whose directory cannot be made loses the rest of the text, not the call", async () => {
    const store = resultDirectory("/dev/null/no");
    const limited = await callThrough(limitResults({ maxResultChars: 1, store }), textResult("ab"));
    expect(texts(limited.content)[1]).not.toContain("The full result is in");
  });

  test.each<[string, () => Promise<string>]>([
    ["rejects", async () => JSON.parse("{")],
    ["throws", () => JSON.parse("{")],
  ])("a store that %s loses the rest of the text, not the call", async (_, save) => {
    const limited = await callThrough(limitResults({ maxResultChars: 1, store: { save } }), textResult("ab"));
    expect(texts(limited.content)).toEqual([
      "a",
      "[This result was too long. Missing: 1 of 2 characters of text.]",
    ]);
  });

  test.each([
    [Number.NaN, 1],
    [-5, 0],
  ])("paging with an offset of %d and a length of %d starts at the beginning", async (offset, length) => {
    const store = resultDirectory(directory);
    const place = (await store.save("😀😀", { server: "s" })) ?? "";
    expect(await store.read(place, offset, length)).toMatchObject({ text: expect.stringMatching(/^😀/u) });
    let read = "";
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page = await store.read(place, from, 1);
      read += page.text;
      from = page.nextOffset;
    }
    expect(read).toBe("😀😀");
  });

  test.each([Number.NaN, -1, "5" as unknown as number])("a limit of %o is refused", (maxResultChars) => {
    const invalid = expect.objectContaining({ code: "MCP_CONFIG_INVALID" });
    expect(() => limitResults({ maxResultChars })).toThrowError(invalid);
    expect(() => limitResults({ servers: { files: { maxBinaryBytes: maxResultChars } } })).toThrowError(
      invalid,
    );
  });

  test("a limit of 0 means no limit", async () => {
    const answer = textResult("x".repeat(100_000));
    expect(await callThrough(limitResults({ maxResultChars: 0 }), answer)).toBe(answer);
  });

  test("URIs, names and descriptions of links count as text", async () => {
    const link = { type: "resource_link" as const, uri: "file:///a", name: "n".repeat(40) };
    const described = {
      type: "resource_link" as const,
      uri: "file:///b",
      name: "b",
      description: "d".repeat(90),
    };
    const limited = await callThrough(limitResults({ maxResultChars: 30 }), { content: [link, described] });
    expect(limited.content).toEqual([
      { ...described, description: "d".repeat(20) },
      { type: "text", text: expect.stringMatching(/Missing: 70 of 90 characters of text, a link\./) },
    ]);
  });

  test("a resource whose URI does not fit is left out, and at most five missing parts are named", async () => {
    const resource = { uri: `file:///${"u".repeat(100)}`, text: "t" };
    const content = Array.from({ length: 8 }, () => ({ type: "resource" as const, resource }));
    const limited = await callThrough(limitResults({ maxResultChars: 50 }), { content });
    expect(texts(limited.content)).toEqual([
      "[This result was too long. Missing: a resource, a resource, a resource, a resource, a resource, 3 more parts.]",
    ]);
  });

  test.each([
    [
      "a resource text with a blob beside it",
      { type: "resource", resource: { uri: "a:b", text: LONG, blob: "" } },
    ],
    [
      "the MIME type of a resource",
      { type: "resource", resource: { uri: "a:b", blob: "AA==", mimeType: LONG } },
    ],
    ["the MIME type of a link", { type: "resource_link", uri: "a:b", name: "n", mimeType: LONG }],
    ["the MIME type of an image", { type: "image", data: "AA==", mimeType: LONG }],
    ["the MIME type of audio", { type: "audio", data: "AA==", mimeType: LONG }],
  ])("%s counts as text", async (_, block) => {
    const content = [block] as unknown as ToolCallResult["content"];
    const limited = await callThrough(limitResults({ maxResultChars: 50 }), { content });
    expect(JSON.stringify(limited).match(/y/g)?.length ?? 0).toBeLessThan(60);
    expect(JSON.stringify(limited)).toContain("Missing: ");
  });

  test.each([
    { text: "x", blob: 5 },
    { text: 5, blob: "AA==" },
    { text: null, blob: "AA==" },
  ])("a resource of %j passes unchanged", async (contents) => {
    const block = { type: "resource", resource: { uri: "a:b", ...contents } };
    const answer = { content: [block] } as unknown as ToolCallResult;
    expect(await callThrough(limitResults(), answer)).toBe(answer);
  });

  test("an image is kept behind a text that fills the limit", async () => {
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    const content = [{ type: "text" as const, text: LONG }, image];
    const limited = await callThrough(limitResults({ maxResultChars: 50 }), { content });
    expect(limited.content).toEqual([{ type: "text", text: "y".repeat(41) }, image, expect.anything()]);
  });

  describe("structured content beside texts", () => {
    const rows = Array.from({ length: 20 }, (_, id) => ({ id, name: `row ${id}` }));
    const compact = JSON.stringify({ rows });
    const text = (written: string) => ({ type: "text" as const, text: written });

    test.each([
      [
        "is left out when the text that repeats it is cut",
        [text(JSON.stringify({ rows }, null, 2))],
        { rows },
      ],
      ["is left out when the texts leave no room for it", [text("y".repeat(compact.length))], { rows }],
      ["is left out when the member it adds does not fit", [text(compact)], { rows, more: LONG }],
      [
        "is left out when it joins texts of a result that is cut",
        [text("a".repeat(300)), text("b".repeat(300)), { type: "text", text: LONG }],
        { all: `${"a".repeat(300)}\n${"b".repeat(300)}` },
      ],
    ])("%s", async (_, content, structuredContent) => {
      const answer = { content, structuredContent } as unknown as ToolCallResult;
      const limited = await callThrough(limitResults({ maxResultChars: compact.length + 100 }), answer);
      expect(limited).not.toHaveProperty("structuredContent");
      expect(texts(limited.content).at(-1)).toContain("structured content of");
    });

    test.each([
      ["the whole as JSON", [text(JSON.stringify({ rows }))], { rows }],
      ["the whole as indented JSON", [text(JSON.stringify({ rows }, null, 1))], { rows }],
      ["a member equal to a text", [text(compact)], { content: compact }],
      ["a member repeated as JSON", [text(JSON.stringify(rows))], { result: rows, count: 20 }],
      [
        "a member that joins texts",
        [text(compact.slice(0, 400)), text(compact.slice(400))],
        { content: `${compact.slice(0, 400)}\n${compact.slice(400)}` },
      ],
      ["the content blocks", [text(compact)], { content: [text(compact)] }],
    ])(
      "is kept when the texts repeat it, so that a model reads it only once: %s",
      async (_, content, structuredContent) => {
        const answer = { content, structuredContent };
        expect(await callThrough(limitResults({ maxResultChars: 1_100 }), answer)).toBe(answer);
        expect(JSON.stringify(content).length + JSON.stringify(structuredContent).length).toBeGreaterThan(
          1_100,
        );
        const read = resultText(classifyResult(answer));
        expect(read.length).toBeLessThan(1_100);
      },
    );
  });

  test("malformed content blocks pass through the limit", async () => {
    const strange = [
      null,
      7,
      { type: "text" },
      { type: "resource", resource: 1 },
      { type: "x", y: "z".repeat(99) },
    ];
    const limited = await callThrough(limitResults({ maxResultChars: 60 }), {
      content: strange as unknown as ToolCallResult["content"],
    });
    expect(limited.content.slice(0, -1)).toEqual(strange.slice(0, -1));
    const none = { content: "text" } as unknown as ToolCallResult;
    expect(await callThrough(limitResults(), none)).toBe(none);
  });
});
