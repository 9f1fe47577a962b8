import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenMcpOptions } from "../src/index.ts";
import { discoveryOptions, searchedPlaces } from "../src/searched-places.ts";

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

  it("have the runtime's cwd if discovery names none", () => {
    const options = { cwd: "/home/ada/project", discover: { cwd: undefined } };
    expect(discoveryOptions(options)).toEqual({ cwd: "/home/ada/project" });
    expect(searchedPlaces(options)).toMatchObject({ cwd: "/home/ada/project" });
    expect(discoveryOptions({ cwd: "/home/ada/project", discover: { cwd: "/elsewhere" } })).toEqual({
      cwd: "/elsewhere",
    });
  });

  it.each<[unknown, unknown]>([
    [null, null],
    ["mcp.json", "cursor"],
    [{}, 5],
  ])("are the default where configFiles is %j and hosts is %j", (configFiles, hosts) => {
    const options = { cwd: "/home/ada/project", configFiles, discover: { hosts } } as OpenMcpOptions;
    expect(searchedPlaces(options)).toEqual({ cwd: "/home/ada/project", files: [], hosts: undefined });
  });

  it("are only those elements of a list that are texts", () => {
    const options = {
      cwd: "/home/ada",
      configFiles: [1, "a.json", ""],
      discover: { hosts: ["cursor", null] },
    };
    expect(searchedPlaces(options as OpenMcpOptions)).toEqual({
      cwd: "/home/ada",
      files: [resolve("/home/ada/a.json")],
      hosts: ["cursor"],
    });
  });
});
