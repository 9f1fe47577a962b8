import { parseArgs } from "node:util";
import { COMPETITORS, isCompetitor } from "./clients/names.ts";
import { COMPETITOR_MODULES, competitorFolder, pinnedVersions } from "./competitors.ts";
import { installCompetitor } from "./install-competitor.ts";

const HELP = `Installs the clients that Jackfield is measured beside, each into a folder of its own.

  pnpm bench:setup                all of them: ${COMPETITORS.join(", ")}
  pnpm bench:setup --only NAME    one of them; may be repeated
`;

/** Installs what is asked for, and returns the exit code: 1 if something could not be installed, 2 for wrong arguments. */
export function setUp(args: readonly string[]): number {
  let only: readonly string[];
  try {
    const { values } = parseArgs({
      args: args.filter((arg) => arg !== "--"), // package managers hand their separator on
      options: { only: { type: "string", multiple: true }, help: { type: "boolean" } },
    });
    only = values.only ?? COMPETITORS;
    const unknown = only.find((name) => !isCompetitor(name));
    if (unknown !== undefined) throw new Error(`There is no "${unknown}".`);
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return 2;
  }
  const installed = only.filter(isCompetitor).map(install);
  return installed.every(Boolean) ? 0 : 1;
}

function install(name: (typeof COMPETITORS)[number]): boolean {
  const folder = competitorFolder(name);
  try {
    const outcome = installCompetitor(folder, COMPETITOR_MODULES[name]);
    process.stdout.write(`${name}: ${outcome} (${pinnedVersions(folder)})\n`);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stdout.write(`${name}: could not be installed; the bench goes without it.\n${reason}\n`);
    return false;
  }
}
