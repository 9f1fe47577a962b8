import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { JsonSchema } from "../../src/schema/subschemas.ts";

/** One schema of JSON-Schema-Test-Suite with its instances. */
export interface SuiteGroup {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

const CHECKOUT = resolve(import.meta.dirname, "../../../..");

/** Where the suite is expected: `JSON_SCHEMA_TEST_SUITE`, else beside the checkout. */
export const SUITE_DIRECTORY =
  process.env.JSON_SCHEMA_TEST_SUITE ?? resolve(CHECKOUT, "../shared/json-schema-test-suite");

/** Whether the suite is there. It is not part of this repository. */
export const hasSuite = existsSync(join(SUITE_DIRECTORY, "draft2020-12"));

/** All groups of a draft, `$schema` filled in where a schema does not name it; the optional ones on request. */
export function suiteGroups(
  draft: "draft7" | "draft2020-12",
  { optional = false } = {},
): readonly SuiteGroup[] {
  const folders = optional ? [draft, `${draft}/optional`, `${draft}/optional/format`] : [draft];
  return folders.flatMap((folder) =>
    readdirSync(join(SUITE_DIRECTORY, folder))
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => {
        const file = `${folder}/${name}`;
        const groups = JSON.parse(readFileSync(join(SUITE_DIRECTORY, file), "utf8")) as SuiteGroup[];
        return groups.map((group) => ({ ...group, file, schema: withDialect(group.schema, draft) }));
      }),
  );
}

function withDialect(schema: JsonSchema, draft: string): JsonSchema {
  if (typeof schema === "boolean" || draft !== "draft7") return schema;
  return { $schema: "http://json-schema.org/draft-07/schema#", ...schema };
}
