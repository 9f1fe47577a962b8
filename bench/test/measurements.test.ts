import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { ADAPTERS, type ClientName, CORE_CLIENTS } from "../src/clients/names.ts";
import type { StartRequest } from "../src/measurement.ts";
import { measure, measureReading } from "../src/measuring-process.ts";
import { serve, stdioServer } from "../src/server-process.ts";
import { CALL_TRANSPORTS, type CallTransport } from "../src/settings.ts";
import { openWorkplace } from "../src/workplace.ts";

const COUNTS = { warmUp: 2, sequential: 3, large: 1, concurrent: 100 };
const SIZES = { smallBytes: 100, largeBytes: 100_000, inFlight: 64 };
const POSITIVE = expect.toSatisfy((figure: unknown) => typeof figure === "number" && figure > 0);
const TIMEOUT_MS = 60_000;

const workplace = await openWorkplace();
const options = { workplace, signal: new AbortController().signal };
afterAll(() => workplace[Symbol.asyncDispose]());

// Every measuring process compares each answer with what was sent, and counts the tools: it fails if one is wrong.
/** A real server does not repeat what it is sent, so it gives no large answers. */
const REAL = { ...COUNTS, large: 0 };

/**
 * The full run (`full-run.test.ts`) measures two of the clients over every transport, and an adapter calls over the connections of
 * `jackfield`. `pnpm soak` measures every client over each.
 */
function transportsOf(client: ClientName): readonly CallTransport[] {
  if (process.env.JACKFIELD_SOAK !== undefined || client === "hand-written") return CALL_TRANSPORTS;
  return ADAPTERS.some((adapter) => adapter === client) ? ["stdio"] : [];
}

describe.each([...CORE_CLIENTS, ...ADAPTERS])("%s", (client) => {
  test.each(transportsOf(client))(
    "calls over %s are measured",
    async (transport) => {
      await using served = await serve(transport);
      const counts = transport === "everything" ? REAL : COUNTS;
      const figures = await measure(
        { kind: "calls", client, server: served.server, counts, sizes: SIZES },
        options,
      );
      expect(figures).toEqual({
        sequentialP50Ms: POSITIVE,
        sequentialP99Ms: POSITIVE,
        sequentialCpuMs: POSITIVE,
        ...(counts.large > 0 && { largeP50Ms: POSITIVE, largeCpuMs: POSITIVE }),
        callsPerSecond: POSITIVE,
        concurrentCpuMs: POSITIVE,
      });
    },
    TIMEOUT_MS,
  );

  test(
    "a cold start of two servers is measured",
    async () => {
      const servers = [stdioServer("one"), stdioServer("two")];
      const figures = await measure({ kind: "start", client, servers }, options);
      expect(figures).toEqual({ readyMs: POSITIVE, readyCpuMs: POSITIVE, firstAnswerMs: POSITIVE });
    },
    TIMEOUT_MS,
  );

  test(
    "a wrong answer fails the measurement",
    async () => {
      const script = fileURLToPath(new URL("./fixtures/wrong-answers.ts", import.meta.url));
      const server = {
        ...stdioServer("one"),
        transport: "stdio",
        args: [script],
        command: process.execPath,
      } as const;
      const measuring = measure({ kind: "calls", client, server, counts: COUNTS, sizes: SIZES }, options);
      await expect(measuring).rejects.toThrow(/A call with "call 0;x*" was answered with "cell 0;x*"/);
    },
    TIMEOUT_MS,
  );
});

describe("a warm start's catalog", () => {
  const directory = join(workplace.directory, "catalog");
  const start = (expectsTools: boolean): StartRequest => ({
    kind: "start",
    client: "jackfield",
    servers: [stdioServer("one")],
    catalog: { directory, expectsTools },
  });

  test(
    "is filled by the first run, serves the second, and can be read by bare Node",
    async () => {
      await expect(measure(start(true), options)).rejects.toThrow("is live, but all should be catalog");
      expect(await measure(start(true), options)).toMatchObject({ readyMs: POSITIVE });
      await expect(measure(start(false), options)).rejects.toThrow("is catalog, but all should be live");
      const file = readdirSync(directory).find((name) => name.endsWith(".sqlite")) ?? "";
      const reading = await measureReading(join(directory, file), options);
      expect(reading).toEqual({ readyMs: POSITIVE, readyCpuMs: POSITIVE });
    },
    TIMEOUT_MS,
  );
});
