import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createLineCounter } from "../../src/documents/line-counter.ts";

describe("the line counter", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("gives the places that counting from the start gives, in any order of offsets", () => {
    const asked = fc.tuple(
      fc.array(fc.constantFrom("a", "\r", "\n"), { maxLength: 30 }),
      fc.array(fc.nat({ max: 30 })),
    );
    fc.assert(
      fc.property(asked, ([characters, offsets]) => {
        const text = characters.join("");
        const counter = createLineCounter(text);
        for (const offset of offsets.filter((at) => at <= text.length)) {
          const before = text.slice(0, offset).split("\n");
          const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
          expect(counter.placeOf(offset)).toEqual(place);
        }
      }),
    );
  });

  test("looks at each character of a one-line file once for 1000 places in their order", () => {
    const lastIndexOf = vi.spyOn(String.prototype, "lastIndexOf");
    const counter = createLineCounter("x".repeat(1000));
    for (let offset = 0; offset <= 1000; offset += 1) counter.placeOf(offset);
    const searched = lastIndexOf.mock.contexts.map((text) => String(text).length);
    lastIndexOf.mockRestore();
    expect(searched.reduce((sum, length) => sum + length)).toBe(1000);
  });

  test("looks for line ends once for 1000 places that go back and forth", () => {
    const indexOf = vi.spyOn(String.prototype, "indexOf");
    const counter = createLineCounter("x".repeat(1000));
    for (let offset = 0; offset < 500; offset += 1) {
      counter.placeOf(999 - offset);
      counter.placeOf(offset);
    }
    const searches = indexOf.mock.calls.length;
    indexOf.mockRestore();
    expect(searches).toBe(1);
  });
});
