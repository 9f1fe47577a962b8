import type { ToolSearch } from "@jackfield/mcp-tools/search";
import type { Figures } from "./measurement.ts";

type Tool = Parameters<ToolSearch["follow"]>[0][number];

const VERBS =
  "list get create update delete search export import archive share copy move merge assign approve cancel count watch tag print";
const NOUNS =
  "invoice customer order ticket sprint budget lease parcel patient booking course device sensor contract payslip recipe playlist flight vehicle permit sample sketch ledger shift claim";
const AREAS =
  "billing sales support planning finance rental shipping clinic hotel school factory energy legal payroll kitchen radio airline garage council museum";
/** As many as twelve ordinary servers have. */
const FEW = 400;
const QUERIES = [
  ...[
    "billing_create_invoice",
    "cancel a booking",
    "how many parcels are on their way",
    "playlist radio share",
  ],
  ...["approve the leave of a colleague", "book a table for dinner", "recipes with the word tomato in them"],
];
const ROUNDS = 30;

/** What the first search among a few hundred tools takes, loading included; and one among 10,000 tools, once they are known. */
export async function searchFigures(): Promise<Figures> {
  const all = madeTools();
  const before = performance.now();
  const { createToolSearch } = await import("@jackfield/mcp-tools/search");
  const search = createToolSearch();
  search.follow(all.slice(0, FEW));
  search.find("cancel a booking");
  const indexMs = performance.now() - before;
  search.follow(all);
  const searchAll = () => QUERIES.map((query) => search.find(query));
  if (searchAll()[0]?.[0]?.name !== "mcp__billing__create_invoice")
    throw new Error("An exact name is not found first.");
  const warm = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) searchAll();
  return { indexMs, searchMs: (performance.now() - warm) / (ROUNDS * QUERIES.length) };
}

/** 10,000 tools, each with its own words. */
function madeTools(): readonly Tool[] {
  return AREAS.split(" ").flatMap((server) =>
    VERBS.split(" ").flatMap((verb) => NOUNS.split(" ").map((noun) => madeTool(server, verb, noun))),
  );
}

function madeTool(server: string, verb: string, noun: string): Tool {
  const name = `${verb}_${noun}`;
  const description = `Use this to ${verb} one ${noun} or several of ${server}, by identifier or by date.`;
  const inputSchema = { type: "object" as const, properties: { [`${noun}_id`]: { type: "string" } } };
  return {
    ...{ name: `mcp__${server}__${name}`, server, originalName: name, origin: "cache", description },
    ...{ requiresApproval: false, definition: { name, description, inputSchema } },
  };
}
