import type { BenchClient, ClientName } from "./client.ts";
import { handWritten } from "./hand-written.ts";
import { jackfield } from "./jackfield.ts";
import { rawSdk } from "./raw-sdk.ts";

/** The clients. Each imports what it is made of when it starts, because that is a part of its start and of nobody else's. */
export const CLIENTS: { readonly [name in ClientName]: BenchClient } = {
  jackfield,
  "raw-sdk": rawSdk,
  "hand-written": handWritten,
};
