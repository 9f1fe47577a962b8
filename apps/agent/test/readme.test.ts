import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const quotes = [...read("README.md").matchAll(/```ts (src\/\S+)\n([\s\S]*?)```/g)];

describe("the README", () => {
  it("has at least three quotes of the source", () => expect(quotes.length).toBeGreaterThanOrEqual(3));

  it.each(quotes.map(([, file = "", code = ""]) => [file, code]))("quotes %s verbatim", (file, code) => {
    expect(read(file)).toContain(code);
  });

  it("names every option and every command", () => {
    const readme = read("README.md");
    const options = read("src/arguments.ts").match(/--[a-z]+/g) ?? [];
    const commands = read("src/chat-commands.ts").match(/(?<=usage: ")[^"[]+[a-zA-Z]/g) ?? [];
    expect(commands.length).toBeGreaterThan(7);
    for (const name of [...options, ...commands]) expect(readme).toContain(`${name}`);
  });
});
