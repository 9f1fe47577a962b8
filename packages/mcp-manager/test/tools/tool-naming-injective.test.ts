import { casesOf } from "@jackfield/test-kit";
import { describe, expect, it } from "vitest";
import { NAMING_PRESETS, type NamingOptions } from "../../src/tools/tool-naming.ts";
import {
  allNames,
  awkwardNames,
  givenNames,
  type Listings,
  namingOf,
  seededRandom,
  shuffled,
} from "./naming-fixture.ts";

const SEED = 20_261_121;
const TOOLS_PER_SERVER = 1_000;
const MANY = generated(casesOf(20, 200).numRuns, TOOLS_PER_SERVER);
const FEW = generated(30, 40);

const NAMINGS: [title: string, options: NamingOptions][] = [
  ...Object.values(NAMING_PRESETS).map((preset): [string, NamingOptions] => [preset.strategy, preset]),
  ["a custom function", { strategy: ({ server, tool }) => `${server.slice(0, 1)}_${tool.slice(0, 12)}` }],
  ["a function that imitates the default", { strategy: ({ server, tool }) => `mcp__${server}__${tool}` }],
];

describe.each(NAMINGS)(`tool names with the strategy %s (seed ${SEED})`, (_title, options) => {
  const everyName = (listings: Listings) =>
    givenNames(namingOf(listings, options, [...listings.keys()]), listings.keys());

  it("are unique and valid for thousands of pairs of awkward server and tool names", () => {
    const naming = namingOf(new Map(), options, [...MANY.keys()]);
    for (const [server, listed] of MANY) naming.assign(server, { listed, included: listed });
    const names = givenNames(naming, MANY.keys());
    expect(new Set(names).size).toBe(MANY.size * TOOLS_PER_SERVER);
    expect(names).toHaveLength(MANY.size * TOOLS_PER_SERVER);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  });

  it("are unique even if tools are called like the exposed names of others", () => {
    const given = everyName(FEW);
    const random = seededRandom(SEED + 1);
    const attack = given.flatMap((name) => [
      name,
      name.split("_").slice(-2).join("_"),
      name.replace(/^mcp_+/, ""),
    ]);
    const second = new Map(
      [...FEW].map(([server, tools]) => [server, [...tools, ...pick(attack, 100, random)]]),
    );
    const names = everyName(second);
    expect(new Set(names).size).toBe(names.length);
  });

  it("[C16] are the same in 20 orders of configuration, connection and listing", () => {
    const expected = [...allNames(FEW, options)].sort();
    const random = seededRandom(SEED + 2);
    for (let order = 0; order < 20; order += 1) {
      const again = new Map(
        shuffled(FEW, random).map(([server, tools]) => [server, shuffled(tools, random)]),
      );
      expect([...allNames(again, options, shuffled(FEW.keys(), random))].sort()).toEqual(expected);
    }
  });
});

function generated(servers: number, tools: number): Listings {
  const random = seededRandom(SEED);
  return new Map(awkwardNames(random, servers).map((server) => [server, awkwardNames(random, tools)]));
}

function pick<T>(values: readonly T[], count: number, random: () => number): T[] {
  return Array.from({ length: count }, () => values[Math.floor(random() * values.length)] as T);
}
