import { DatabaseSync } from "node:sqlite";
import type { Figures } from "./measurement.ts";
import { cpuMilliseconds, millisecondsSince } from "./stopwatch.ts";

/** The bare runtime for comparison: a process that reads every row of every table of a SQLite file, and nothing else. */
const [, , file = "", startedAt = ""] = process.argv;
const database = new DatabaseSync(file, { readOnly: true });
const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
const rows = tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
const figures: Figures = { readyMs: millisecondsSince(startedAt), readyCpuMs: cpuMilliseconds() };
if (rows.length === 0) throw new Error(`${file} has no rows.`);
database.close();
process.stdout.write(JSON.stringify(figures));
