import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limitResults } from "../../src/size/limit-results.ts";
import { resultDirectory } from "../../src/size/result-store.ts";
import { callThrough, offeredTool, textResult } from "../tool-fixture.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "jackfield-results-"));
});
afterEach(() => rm(directory, { recursive: true }));

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

  test("no character is cut in two", async () => {
    const limited = await callThrough(limitResults({ maxResultChars: 2 }), textResult("a😀b"));
    expect(texts(limited.content)[0]).toBe("a");
  });

  test("all texts of a result share the limit", async () => {
    const answer = { content: ["aaaa", "bbbb", "cccc"].map((text) => ({ type: "text" as const, text })) };
    const limited = await callThrough(limitResults({ maxResultChars: 6 }), answer);
    expect(texts(limited.content)).toEqual(["aaaa", "bb", expect.stringContaining("6 of 12 characters")]);
  });

  test("an image counts by its decoded bytes and is left out whole", async () => {
    const data = Buffer.alloc(1001).toString("base64");
    const answer = { content: [{ type: "image" as const, data, mimeType: "image/png" }] };
    const limited = await callThrough(limitResults({ maxBinaryBytes: 1000 }), answer);
    expect(texts(limited.content)).toEqual([expect.stringContaining("a part of type image with 100")]);
  });

  test("structured content is never cut: it fits or it is left out", async () => {
    const answer = { content: [], structuredContent: { text: "x".repeat(100) } };
    const limited = await callThrough(limitResults({ maxResultChars: 50 }), answer);
    expect(limited).not.toHaveProperty("structuredContent");
    expect(texts(limited.content)[0]).toContain("structured content of 111 characters");
  });

  test("a server's own limit beats the general one, and a server's name is only a name", async () => {
    const limit = limitResults({ maxResultChars: 3, servers: { generous: { maxResultChars: 5 } } });
    const call = (server: string) =>
      callThrough(limit, textResult("abcdef"), { audience: "model" }, offeredTool({}, server));
    expect(texts((await call("generous")).content)[0]).toBe("abcde");
    expect(texts((await call("__proto__")).content)[0]).toBe("abc");
  });

  test("a program gets everything", async () => {
    const answer = textResult("x".repeat(100_000));
    expect(await callThrough(limitResults(), answer, { audience: "program" })).toBe(answer);
  });

  test("with a store the whole is kept in a private file that can be paged through", async () => {
    const store = resultDirectory(join(directory, "results"));
    const whole = `${"0123456789".repeat(100)}😀`;
    const limited = await callThrough(limitResults({ maxResultChars: 10, store }), textResult(whole));
    const place = /The whole is in (.*)\.\]$/.exec(texts(limited.content)[1] ?? "")?.[1] ?? "";
    expect(await readFile(place, "utf8")).toBe(whole);
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "results"))).mode & 0o777).toBe(0o700);
    expect(await store.read(place, 990, 11)).toEqual({ text: "0123456789", nextOffset: 1000 });
    expect(await store.read(place, 1000, 11)).toEqual({ text: "😀", nextOffset: undefined });
  });

  test("only what was kept can be read", async () => {
    const store = resultDirectory(directory);
    await expect(store.read("/etc/passwd")).rejects.toMatchObject({ code: "MCP_REQUEST_REJECTED" });
  });

  test("a store that cannot keep anything costs the rest of the text, not the call", async () => {
    const store = resultDirectory("/dev/null/no");
    const limited = await callThrough(limitResults({ maxResultChars: 1, store }), textResult("ab"));
    expect(texts(limited.content)[1]).not.toContain("The whole is in");
  });
});
