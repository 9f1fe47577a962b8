import {
  KnownCredentials,
  type ServerDefinition,
  type ServerLimits,
  silentLogger,
} from "@jackfield/mcp-core";
import { describe, expect, it } from "vitest";
import { createResolver } from "../src/open-mcp.ts";

describe("the limits of a server from a custom resolver", () => {
  const OWN: ServerLimits = { connectTimeoutMs: 1_000 };
  const RESOLVED: ServerLimits = { connectTimeoutMs: 2_000 };

  it.each([
    ["those of its entry", OWN, RESOLVED, OWN],
    ["those of its entry if the resolver gives none", OWN, undefined, OWN],
    ["the resolver's if the entry has none", undefined, RESOLVED, RESOLVED],
  ])("are %s", async (_title, limits, resolved, expected) => {
    const definition: ServerDefinition = {
      name: "files",
      transport: "stdio",
      command: "x",
      definedIn: { scope: "explicit" },
      limits,
    };
    const resolve = createResolver(
      {
        resolve: async ({ name }) => {
          const own = { command: "x", args: [], env: {}, secrets: [] };
          return { name, transport: "stdio", ...own, limits: resolved };
        },
      },
      { search: { isAdmitted: () => true }, credentials: new KnownCredentials(), log: silentLogger },
    );
    const { signal } = new AbortController();
    expect((await resolve(definition, { signal })).limits).toBe(expected);
  });
});
