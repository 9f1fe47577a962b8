import { describe, expect, it } from "vitest";
import { alignColumns } from "../src/command-line/table.ts";
import { printable, printableLine } from "../src/command-line/terminal.ts";

describe("text on a terminal", () => {
  it.each([
    ["escape sequences", "\u001b[31mred", "�[31mred"],
    ["a carriage return", "safe\rrm -rf", "safe�rm -rf"],
    ["text direction", "a\u202eb", "a�b"],
    ["tag characters", "a\u{e0041}b", "a�b"],
    ["zero-width characters", "a\u200bb", "a�b"],
  ])("shows %s instead of obeying it", (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("keeps lines and tabs", () => {
    expect(printable("a\n\tb")).toBe("a\n\tb");
  });

  it("makes one line of many and cuts it", () => {
    expect(printableLine(" one\n two   three ", 8)).toBe("one two…");
  });

  it("aligns columns and leaves nothing at the ends of lines", () => {
    expect(
      alignColumns([
        ["a", "bb", ""],
        ["aaa", "b", "c"],
      ]),
    ).toBe("a    bb\naaa  b   c\n");
  });
});
