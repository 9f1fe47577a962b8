import { describe, expect, it } from "vitest";
import { createToolNaming } from "../../src/tools/tool-naming.ts";

const nameOf = (server: string, tool: string, servers: string[] = [server]) =>
  createToolNaming({ servers })(server, [tool]).get(tool);

describe("the names of tools", () => {
  it.each([
    ["docs", "search", "mcp__docs__search"],
    ["my-server", "Do.Thing", "mcp__my-server__Do_Thing"],
    ["My.Server", "x", "mcp__My_Server__x"],
    ["a__b", "c", "mcp__a_b__c"],
    ["_edge_", "t", "mcp__edge__t"],
  ])("calls %s/%s %s", (server, tool, name) => {
    expect(nameOf(server, tool)).toBe(name);
  });

  it("[L27] falls back to a safe and unique name where no character is left", () => {
    const names = createToolNaming({ servers: ["天気", "日本"] });
    const minted = [...names("天気", ["検索", "予報"]).values(), ...names("日本", ["検索"]).values()];
    expect(new Set(minted).size).toBe(3);
    for (const name of minted) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("[L25] keeps foo1 and foo2 apart", () => {
    const names = createToolNaming({ servers: ["s"] })("s", ["foo1", "foo2"]);
    expect([...names.values()]).toEqual(["mcp__s__foo1", "mcp__s__foo2"]);
  });

  it("[L29] keeps a.b and a_b of one server apart, and the same tool of two servers", () => {
    const one = createToolNaming({ servers: ["s"] })("s", ["a.b", "a_b"]);
    expect(new Set(one.values()).size).toBe(2);
    const two = createToolNaming({ servers: ["x.y", "x_y"] });
    expect(two("x.y", ["t"]).get("t")).not.toBe(two("x_y", ["t"]).get("t"));
  });

  it("[L26] caps long names with a hash, distinct and at most 64 characters", () => {
    const tools = ["a".repeat(100), `${"a".repeat(100)}b`];
    const names = [...createToolNaming({ servers: ["s".repeat(300)] })("s".repeat(300), tools).values()];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
  });

  it("[L30] does not give away a reserved name", () => {
    const names = createToolNaming({ servers: ["docs"], reserved: ["mcp__docs__search"] });
    expect(names("docs", ["search"]).get("search")).toMatch(/^mcp__docs__search_[0-9a-f]{8}$/);
  });

  it("[C16] gives the same names whatever the order of servers and tools", () => {
    const servers = ["a.b", "a_b", "c"];
    const tools = ["x.y", "x_y", "z"];
    const forwards = createToolNaming({ servers })("a.b", tools);
    const backwards = createToolNaming({ servers: [...servers].reverse() })("a.b", [...tools].reverse());
    expect(new Map([...forwards].sort())).toEqual(new Map([...backwards].sort()));
  });

  it("never gives one name to two tools, even where a tool is called like another's hashed name", () => {
    const naming = createToolNaming({ servers: ["s"] });
    const hashed = naming("s", ["a.b", "a_b"]).get("a.b")?.slice("mcp__s__".length) ?? "";
    const names = naming("s", ["a.b", "a_b", hashed, "a b", "a-b"]);
    expect(new Set(names.values()).size).toBe(5);
  });

  it("keeps servers apart whose names and tools could run into each other", () => {
    const naming = createToolNaming({ servers: ["a", "a__b", "a_b", "_a"] });
    const names = [
      naming("a", ["b__c", "_b__c"]),
      naming("a__b", ["c"]),
      naming("a_b", ["c"]),
      naming("_a", ["b__c"]),
    ];
    const all = names.flatMap((map) => [...map.values()]);
    expect(new Set(all).size).toBe(all.length);
  });

  it("takes __proto__ and its kin for ordinary names", () => {
    expect(nameOf("__proto__", "constructor")).toBe("mcp__proto__constructor");
  });

  it("gives 200,000 nasty pairs names of their own, the same in 50 orders of servers and tools", () => {
    const random = seededRandom(7);
    const servers = distinctWords(random, 200);
    const tools = distinctWords(random, 1_000);
    const naming = createToolNaming({ servers });
    const names = new Set<string>();
    for (const server of servers) {
      for (const name of naming(server, tools).values()) {
        expect(name.length).toBeLessThanOrEqual(64);
        names.add(name);
      }
    }
    expect(names.size).toBe(200_000);
    const [server = ""] = servers;
    const expected = [...naming(server, tools)].sort();
    for (let order = 0; order < 50; order += 1) {
      const again = createToolNaming({ servers: shuffled(servers, random) });
      expect([...again(server, shuffled(tools, random))].sort()).toEqual(expected);
    }
  });
});

/** A linear congruential generator (Numerical Recipes), so that a failure can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Words that become alike when they are made safe, differ by one character, or are too long. */
function distinctWords(random: () => number, count: number): string[] {
  const alphabet = ["a", "b", "_", "__", ".", "-", " ", "é", "天", "/", "mcp", "x".repeat(40)];
  const words = new Set<string>();
  while (words.size < count) {
    const length = 1 + Math.floor(random() * 6);
    words.add(Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join(""));
  }
  return [...words];
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
