import { DatabaseSync } from "node:sqlite";
import type { Figures } from "./measurement.ts";

/** The bare runtime for comparison: opens the catalog's file, reads every row, and does nothing else. */
const [, , file = ""] = process.argv;
const before = process.hrtime.bigint();
const database = new DatabaseSync(file, { readOnly: true });
const rows = database.prepare("SELECT * FROM keyv").all();
const figures: Figures = { readMs: Number(process.hrtime.bigint() - before) / 1e6 };
if (rows.length === 0) throw new Error(`${file} has no rows.`);
database.close();
process.stdout.write(JSON.stringify(figures));
