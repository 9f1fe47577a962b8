import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { describeServers, HOST_IDS, parseHostFile } from "../../src/index.ts";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "..", "fixtures");

interface Sample {
  readonly host: string;
  readonly file: string;
  readonly expected: { readonly [name: string]: unknown };
}

/** Each host has a folder, in which a sample's expected servers are in the file beside it. */
function findSamples(): Sample[] {
  return readdirSync(FIXTURES)
    .filter((host) => HOST_IDS.includes(host))
    .flatMap((host) =>
      readdirSync(join(FIXTURES, host))
        .filter((name) => !name.includes(".expected."))
        .flatMap((name) => {
          const file = join(FIXTURES, host, name);
          const expected = file.replace(/\.[^.]+$/, ".expected.json");
          return readable(expected).map((text) => ({ host, file, expected: JSON.parse(text) }));
        }),
    );
}

function readable(file: string): string[] {
  try {
    return [readFileSync(file, "utf8")];
  } catch {
    return [];
  }
}

/** Other keys that begin with a dollar sign are notes. */
const NOT_NOTES = ["$options", "$requires"];

function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !key.startsWith("$") || NOT_NOTES.includes(key));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNotes(member)]));
}

const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value)) as { [name: string]: { [key: string]: unknown } };

describe("a sample file gives exactly the expected servers", () => {
  test.each(findSamples())("$host: $file", async ({ host, file, expected }) => {
    const { servers, diagnostics } = await parseHostFile({ host, file });
    expect(plain(describeServers(servers))).toEqual(withoutNotes(expected));
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    for (const { definition } of servers) {
      const { name, definedIn } = definition;
      const { $scope, $warnings = [], $disabledBy } = (expected[name] ?? {}) as { [note: string]: unknown };
      expect(definedIn).toMatchObject({ host, file, pointer: expect.any(String) });
      if ($disabledBy !== undefined) expect(definition.disabledBy).toBe($disabledBy);
      if ($scope === "local") expect(definedIn.scope).toBe("local");
      const told = diagnostics.filter(({ server }) => server === name).map(({ code }) => code);
      for (const warning of $warnings as string[]) expect(told).toContain(warning.split(":")[0]);
    }
  });
});

test("Codex layers are merged field by field into a server of the strongest file", async () => {
  const [project, user, expected] = ["project.config.toml", "user.config.toml", "merged.expected.json"].map(
    (name) => join(FIXTURES, "codex", name),
  ) as [string, string, string];
  const { servers } = await parseHostFile({ host: "codex", file: project, beneath: [user] });
  const wanted = withoutNotes(JSON.parse(readFileSync(expected, "utf8"))) as object;
  expect(plain(describeServers(servers))).toMatchObject(wanted);
  expect(servers.find(({ name }) => name === "docs")?.definition.definedIn.file).toBe(project);
});
