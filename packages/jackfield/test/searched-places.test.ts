import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { searchedPlaces } from "../src/searched-places.ts";

describe("the places where a runtime looks for its servers", () => {
  it("are the files that are named, in its folder, where nothing else is searched", () => {
    const places = searchedPlaces({ cwd: "/work", configFiles: ["mcp.json"], discover: false });
    expect(places).toEqual({ cwd: "/work", files: [resolve("/work/mcp.json")], hosts: [] });
  });

  it("are in the folder that is searched, where that is another one", () => {
    const discover = { cwd: "/elsewhere", hosts: "all" } as const;
    const places = searchedPlaces({ cwd: "/work", configFiles: ["mcp.json"], discover });
    expect(places).toMatchObject({ cwd: "/elsewhere", files: [resolve("/work/mcp.json")], hosts: "all" });
  });
});
