import { DatabaseSync } from "node:sqlite";
import type { Figures } from "./measurement.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";

/**
 * The bare runtime for comparison: a process that reads every row of every table of a SQLite file, parses what is lines of JSON if
 * it is told to, and does nothing else.
 */
const [, , json = "", startedAt = ""] = process.argv;
const { file, parse } = JSON.parse(json) as { readonly file: string; readonly parse?: boolean };
const database = new DatabaseSync(file, { readOnly: true });
const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
const rows = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
const parsed = parse === true ? rows.flatMap(parseRow) : [];
const figures: Figures = { readyMs: millisecondsSince(startedAt), readyCpuMs: cpuMilliseconds() };
if (rows.length === 0) throw new Error(`${file} has no rows.`);
if (parse === true && parsed.length === 0) throw new Error(`${file} holds no JSON.`);
database.close();
process.stdout.write(JSON.stringify(figures));

function parseRow(row: Readonly<Record<string, unknown>>): unknown[] {
  const texts = Object.values(row).filter((value) => typeof value === "string" && value.startsWith("{"));
  return texts.flatMap((text) => String(text).split("\n")).map((line) => JSON.parse(line));
}
