import type { Budget } from "./budget.ts";
import { callScenario, memoryScenario } from "./step.ts";

/** What connections over HTTP have to be, beside those of the raw SDK. */
export const TRANSPORT_BUDGETS: readonly Budget[] = [
  {
    title: "calls/s over HTTP with JSON, times the raw SDK's",
    scenario: callScenario("http-json"),
    subject: "jackfield",
    figure: "callsPerSecond",
    per: { subject: "raw-sdk" },
    unit: "x",
    limit: 3,
    isLeast: true,
  },
  {
    title: "calls/s over HTTP with event streams, times the raw SDK's",
    scenario: callScenario("http-sse"),
    subject: "jackfield",
    figure: "callsPerSecond",
    per: { subject: "raw-sdk" },
    unit: "x",
    limit: 4,
    isLeast: true,
  },
  {
    title: "memory of 100 sessions over HTTP, times the raw SDK's",
    scenario: memoryScenario("sessions", 100),
    subject: "jackfield",
    figure: "sessionsMib",
    per: { subject: "raw-sdk" },
    unit: "x",
    limit: 0.9,
  },
];
