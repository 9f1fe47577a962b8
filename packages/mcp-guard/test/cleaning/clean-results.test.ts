import { describe, expect, test } from "vitest";
import { cleanResult, cleanResults } from "../../src/cleaning/clean-text.ts";
import { callThrough, textResult } from "../tool-fixture.ts";

const HIDDEN = "ok\u{e0041}\u{e0042}\u001b]52;c;AAAA\u0007";

describe("cleaning results", () => {
  test("[T54][T55] removes control sequences and hidden characters from every shown field", () => {
    const result = {
      content: [
        { type: "text" as const, text: HIDDEN },
        { type: "resource" as const, resource: { uri: `file:///${HIDDEN}`, text: HIDDEN } },
        { type: "resource_link" as const, uri: "file:///b", name: HIDDEN, description: HIDDEN },
      ],
      structuredContent: { [HIDDEN]: [HIDDEN] },
    };
    expect(cleanResult(result)).toEqual({
      content: [
        { type: "text", text: "ok" },
        { type: "resource", resource: { uri: "file:///ok", text: "ok" } },
        { type: "resource_link", uri: "file:///b", name: "ok", description: "ok" },
      ],
      structuredContent: { ok: ["ok"] },
    });
  });

  test("a model gets cleaned text, a program gets what the server sent", async () => {
    const answer = textResult(HIDDEN);
    expect(await callThrough(cleanResults(), answer)).toEqual(textResult("ok"));
    expect(await callThrough(cleanResults(), answer, { audience: "program" })).toBe(answer);
  });

  test("returns a result with nothing to clean as the same object", () => {
    const answer = textResult("ok 👩‍💻\n");
    expect(cleanResult(answer)).toBe(answer);
  });
});
