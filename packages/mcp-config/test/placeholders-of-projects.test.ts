import type { DefinedIn, ResolvedServer, ServerDefinition } from "@jackfield/mcp-core";
import { describe, expect, test } from "vitest";
import { variablesOf } from "../src/hosts/host-dialects.ts";
import { createServerResolver, HOST_IDS } from "../src/index.ts";
import { references } from "../src/resolve/variables.ts";
import { signal } from "./resolution.ts";

const STEMS = [
  "API_KEY",
  "TOKEN",
  "SECRET",
  "PASSWORD",
  "AUTH",
  "CREDENTIALS",
  "JWT",
  "COOKIE",
  "DB_PASS",
  "PAT",
];
const SECRETS = Array.from({ length: 200 }, (_, index) => `${STEMS[index % STEMS.length]}_${index}`);
const ALLOWED = Array.from({ length: 20 }, (_, index) => `REGION_${index}`);
const NAMES = [...SECRETS, ...ALLOWED];
const planted = (name: string) => `<value of ${name}>`.replaceAll(" ", "-");
const env = Object.fromEntries(NAMES.map((name) => [name, planted(name)]));

/** Every syntax for a reference; the dialect of a host says which of them the host knows. */
const WAYS: readonly ((name: string) => string)[] = [
  (name) => `\${${name}}`,
  (name) => `\${${name}:-}`,
  (name) => `\${env:${name}}`,
  (name) => `\${env:${name} | value:}`,
  (name) => `{env:${name}}`,
  (name) => `$${name}`,
  (name) => `$env:${name}`,
  (name) => `\${{ secrets.${name} }}`,
  (name) => `\${input:${name}}`,
  (name) => `%${name}%`,
];

const KNOWN = ["none", ...HOST_IDS].flatMap((host) =>
  WAYS.filter((write) => isReference(host, write("NAME"))).map((write) => ({
    host,
    write,
    way: write("NAME"),
  })),
);

function isReference(host: string, text: string, isValue = true): boolean {
  const [found] = references(text, variablesOf(host), isValue);
  const { name, written, platform = process.platform } = found?.reference ?? {};
  return name === "NAME" && written === text && platform === process.platform;
}

/** One entry of a project for each field; each refers to every name. */
function definitionsOf(host: string, write: (name: string) => string): readonly ServerDefinition[] {
  const definedIn: DefinedIn = { scope: "project", host, file: "/project/mcp.json" };
  const texts = NAMES.map(write);
  const byName = Object.fromEntries(texts.map((text, index) => [`N${index}`, text]));
  // Goose knows only variables that the entry names.
  const common = { name: "s", definedIn, extra: { env_keys: NAMES } };
  return [
    { ...common, transport: "stdio", command: "server", args: texts },
    { ...common, transport: "stdio", command: "server", env: byName },
    { ...common, transport: "http", url: `https://host/${texts.join("/")}` },
    { ...common, transport: "http", url: "https://host/", headers: byName },
    { ...common, transport: "http", url: "https://host/", env: byName, headers: { All: passedOn(host) } },
  ];
}

/** Whether the host fills in anything in the field of an entry that refers to all names. */
function refersIn(definition: ServerDefinition, host: string): boolean {
  const isRemoteField = definition.transport !== "stdio" && !("env" in definition);
  return isRemoteField || variablesOf(host).remoteOnly !== true;
}

/** References to the entry's own variables, in the first syntax that the host knows. */
function passedOn(host: string): string {
  const write = WAYS.find((way) => isReference(host, way("NAME")));
  return NAMES.map((_, index) => write?.(`N${index}`)).join(" ");
}

function namesArrivingIn(server: ResolvedServer): readonly string[] {
  const text = decodeURI(JSON.stringify({ ...server, secrets: undefined }));
  return NAMES.filter((name) => text.includes(planted(name)));
}

/** Accepts the refusal of an entry that refers to inputs: one that is withheld fails the whole entry. */
function refusalOf(write: (name: string) => string) {
  return (error: unknown): undefined => {
    expect(write("NAME")).toContain("input:");
    expect(error).toMatchObject({ code: "MCP_CONFIG_VARIABLE_MISSING" });
  };
}

describe("200 credential-like variables and 20 allowed ones", () => {
  const inputs = env;

  test("are tried in nearly every syntax and in at least seven hosts", () => {
    expect(new Set(KNOWN.map(({ way }) => way)).size).toBeGreaterThanOrEqual(WAYS.length - 2);
    expect(new Set(KNOWN.map(({ host }) => host)).size).toBeGreaterThanOrEqual(7);
  });

  test.each(KNOWN)(
    "[threat T13] exactly the 20 are filled in for $way in a project's file of $host",
    async ({ host, write }) => {
      const options = { env, inputs, isAdmitted: () => true, projectVariables: ALLOWED };
      const resolve = createServerResolver({ ...options, missingVariable: "empty" });
      for (const definition of definitionsOf(host, write)) {
        const isValue = "headers" in definition || "env" in definition;
        const isKnownHere = refersIn(definition, host) && isReference(host, write("NAME"), isValue);
        const found = await resolve(definition, { signal }).catch(refusalOf(write));
        if (found) expect(namesArrivingIn(found)).toEqual(isKnownHere ? ALLOWED : []);
      }
    },
  );

  test.each(KNOWN)(
    "[threat T13] no credential gets into a URL, header or argument for $way of $host, though all are allowed",
    async ({ host, write }) => {
      const options = { env, inputs, isAdmitted: () => true, projectVariables: NAMES };
      const resolve = createServerResolver({ ...options, missingVariable: "empty" });
      const [args, , ...remote] = definitionsOf(host, write);
      for (const definition of [args, ...remote]) {
        if (definition === undefined) continue;
        const isValue = definition !== args && "headers" in definition;
        const isKnownHere = refersIn(definition, host) && isReference(host, write("NAME"), isValue);
        const found = await resolve(definition, { signal }).catch(refusalOf(write));
        if (found) expect(namesArrivingIn(found)).toEqual(isKnownHere ? ALLOWED : []);
      }
    },
  );
});

test.each(["toString", "__proto__", "constructor", "hasOwnProperty", "valueOf"])(
  "[A2] ${%s} counts as unset in a project's entry, although prototypes have it",
  async (name) => {
    const definedIn: DefinedIn = { scope: "project", file: "/project/mcp.json" };
    const definition: ServerDefinition = {
      name: "s",
      definedIn,
      transport: "http",
      url: "https://host/",
      env: { OWN: "1" },
      headers: { H: `<\${${name}}>` },
    };
    const options = { env: {}, inputs: {}, isAdmitted: () => true, projectVariables: [name] };
    const empty = createServerResolver({ ...options, missingVariable: "empty" });
    expect(await empty(definition, { signal })).toMatchObject({ headers: { H: "<>" } });
    await expect(createServerResolver(options)(definition, { signal })).rejects.toMatchObject({
      code: "MCP_CONFIG_VARIABLE_MISSING",
    });
  },
);
