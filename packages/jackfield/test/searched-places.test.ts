import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { searchedPlaces } from "../src/searched-places.ts";

describe("the places where a runtime looks for its servers", () => {
  it("are the files that are named, in its folder, where nothing else is searched", () => {
    const places = searchedPlaces({ cwd: "/home/ada/project", configFiles: ["mcp.json"], discover: false });
    expect(places).toEqual({
      cwd: "/home/ada/project",
      files: [resolve("/home/ada/project/mcp.json")],
      hosts: [],
    });
  });

  it("are in the folder that is searched, where that is another one", () => {
    const discover = { cwd: "/elsewhere", hosts: "all" } as const;
    const places = searchedPlaces({ cwd: "/home/ada/project", configFiles: ["mcp.json"], discover });
    expect(places).toMatchObject({
      cwd: "/elsewhere",
      files: [resolve("/home/ada/project/mcp.json")],
      hosts: "all",
    });
  });
});
