import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { prepareDiscovery, takeDiscovery } from "../src/discovery-step.ts";
import { measure, measureParsing } from "../src/measuring-process.ts";
import { openWorkplace } from "../src/workplace.ts";

const POSITIVE = expect.toSatisfy((figure: unknown) => typeof figure === "number" && figure > 0);
const TIMEOUT_MS = 60_000;

const workplace = await openWorkplace();
const options = { workplace, signal: new AbortController().signal };
afterAll(() => workplace[Symbol.asyncDispose]());

// The measuring process counts the tools and looks where they come from: it fails if they are not those of the catalog.
test(
  "a start from a filled catalog is measured with servers that never come up",
  async () => {
    const catalogDirectory = join(workplace.directory, "known");
    const known = { kind: "known", servers: 20, catalogDirectory } as const;
    await measure({ ...known, fill: true }, options);
    expect(await measure({ ...known, fill: false }, options)).toEqual({
      readyMs: POSITIVE,
      readyCpuMs: POSITIVE,
    });
    const reading = await measureParsing(join(catalogDirectory, "catalog.sqlite"), options);
    expect(reading).toEqual({ readyMs: POSITIVE, readyCpuMs: POSITIVE });
  },
  TIMEOUT_MS,
);

// The process counts what it has found.
test(
  "discovery is measured beside a process that does nothing",
  async () => {
    await prepareDiscovery(options);
    for (const subject of ["discovery", "bare-node"] as const)
      expect(await takeDiscovery({ kind: "discovery", subject }, options)).toEqual({
        readyMs: POSITIVE,
        readyCpuMs: POSITIVE,
      });
  },
  TIMEOUT_MS,
);

test(
  "the runtime's own overhead is measured",
  async () => {
    const figures = await measure({ kind: "overhead", servers: 5, calls: 2_000 }, options);
    expect(figures).toMatchObject({
      unchangedToolsMs: POSITIVE,
      indexMs: POSITIVE,
      searchMs: POSITIVE,
      changedToolsMs: POSITIVE,
      addedCpuMs: expect.toSatisfy((figure: unknown) => typeof figure === "number" && figure >= 0),
    });
  },
  TIMEOUT_MS,
);
