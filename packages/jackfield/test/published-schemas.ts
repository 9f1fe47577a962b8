import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readArguments } from "../src/command-line/arguments.ts";

const FOLDER = new URL("../schemas/", import.meta.url);

/** The names of the schemas the package publishes, one for each document a command prints. */
export const PUBLISHED_SCHEMAS: readonly string[] = readdirSync(FOLDER).map((file) =>
  file.replace(/\.json$/, ""),
);

const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));

const known = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  const made = known.get(name);
  if (made !== undefined) return made;
  const schema = read(name);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  if (name !== "error") ajv.addSchema(read("error"), "error.json");
  const validator = ajv.compile(schema);
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
export async function checkDocument(argv: readonly string[], stdout: string): Promise<void> {
  if (stdout === "" || !argv.includes("--json")) return;
  // What is printed as it comes is a document a line.
  const isStream = /^(?:logs|tap)$/.test(argv[0] ?? "") && !stdout.startsWith("{\n");
  for (const text of isStream ? stdout.trim().split("\n") : [stdout]) await checkOne(argv, JSON.parse(text));
}

async function checkOne(argv: readonly string[], printed: unknown): Promise<void> {
  const { name, document } = await documentOf(argv, printed);
  const problems = schemaProblems(name, document);
  if (problems.length > 0) throw new Error(`not as schemas/${name}.json says: ${problems.join("; ")}`);
}

async function documentOf(
  argv: readonly string[],
  printed: unknown,
): Promise<{ readonly name: string; readonly document: unknown }> {
  const isError = typeof printed === "object" && printed !== null && Object.keys(printed).join() === "error";
  if (isError) return { name: "error", document: printed };
  const args = await readArguments(argv);
  // The help on a tool is the tool, as lists have it.
  if (args.command === "call" && args.help) return { name: "tools", document: { tools: [printed] } };
  return { name: "action" in args ? `${args.command}-${args.action.kind}` : args.command, document: printed };
}
