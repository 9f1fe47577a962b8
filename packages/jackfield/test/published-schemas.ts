import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readArguments } from "../src/command-line/arguments.ts";

const FOLDER = new URL("../schemas/", import.meta.url);

/** The names of the schemas the package publishes, one for each document a command prints. */
export const PUBLISHED_SCHEMAS: readonly string[] = readdirSync(FOLDER).map((file) =>
  file.replace(/\.json$/, ""),
);

const known = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  const made = known.get(name);
  if (made !== undefined) return made;
  const schema = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
  const validator = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema);
  known.set(name, validator);
  return validator;
}

/** Why a document is not what the schema of this name says; empty if it is. */
export function schemaProblems(name: string, document: unknown): readonly string[] {
  const validate = validatorOf(name);
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/**
 * Compares what a command printed with its schema. Whatever a test looks at, this is looked at as well.
 *
 * @throws Error with what differs
 */
export function checkDocument(argv: readonly string[], stdout: string): void {
  if (stdout === "" || !argv.includes("--json")) return;
  const args = readArguments(argv);
  const name = "action" in args ? `${args.command}-${args.action.kind}` : args.command;
  const problems = schemaProblems(name, JSON.parse(stdout));
  if (problems.length > 0) throw new Error(`not as schemas/${name}.json says: ${problems.join("; ")}`);
}
