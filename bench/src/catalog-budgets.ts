import type { Budget } from "./budget.ts";
import { catalogScenario, MANY_SERVERS, MANY_TOOLS } from "./catalog-size.ts";
import { startScenario } from "./step.ts";

/** What the catalog may cost. */
export const CATALOG_BUDGETS: readonly Budget[] = [
  {
    title: "50 servers with 500 tools read from the catalog in one query, over reading the rows",
    scenario: catalogScenario(MANY_SERVERS),
    subject: "tool-cache",
    figure: "readMs",
    less: { subject: "bare-node" },
    unit: "ms",
    limit: 12,
  },
  {
    title: "10,000 tools read from the catalog",
    scenario: catalogScenario(MANY_TOOLS),
    subject: "tool-cache",
    figure: "readMs",
    unit: "ms",
    limit: 60,
  },
  {
    title: "importing the tool cache",
    scenario: catalogScenario(MANY_SERVERS),
    subject: "tool-cache",
    figure: "importMs",
    unit: "ms",
    limit: 15,
  },
  {
    title: "warm start with 20 servers, times the raw SDK's cold start",
    scenario: startScenario(20),
    subject: "jackfield-catalog",
    figure: "readyMs",
    per: { subject: "raw-sdk" },
    unit: "x",
    limit: 0.25,
  },
  {
    title: "warm start with 20 servers, times bare Node reading the same rows",
    scenario: startScenario(20),
    subject: "jackfield-catalog",
    figure: "readyMs",
    per: { subject: "bare-node" },
    unit: "x",
    limit: 1.6,
  },
];
