import type { BenchClient, ClientName } from "./client.ts";

/** Loads one client and nothing of the others: what a client imports is part of its start. */
export async function loadClient(name: ClientName): Promise<BenchClient> {
  switch (name) {
    case "jackfield":
      return (await import("./jackfield.ts")).jackfield;
    case "raw-sdk":
      return (await import("./raw-sdk.ts")).rawSdk;
    case "hand-written":
      return (await import("./hand-written.ts")).handWritten;
  }
}
