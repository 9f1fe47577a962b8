import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { searchedPlaces } from "../src/searched-places.ts";

describe("the searched places of a runtime", () => {
  it("are only the named files, resolved against cwd, without discovery", () => {
    const places = searchedPlaces({ cwd: "/home/ada/project", configFiles: ["mcp.json"], discover: false });
    expect(places).toEqual({
      cwd: "/home/ada/project",
      files: [resolve("/home/ada/project/mcp.json")],
      hosts: [],
    });
  });

  it("have the cwd of discovery, while named files resolve against the runtime's cwd", () => {
    const discover = { cwd: "/elsewhere", hosts: "all" } as const;
    const places = searchedPlaces({ cwd: "/home/ada/project", configFiles: ["mcp.json"], discover });
    expect(places).toMatchObject({
      cwd: "/elsewhere",
      files: [resolve("/home/ada/project/mcp.json")],
      hosts: "all",
    });
  });
});
