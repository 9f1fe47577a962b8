// The flows of ARCHITECTURE.md are true: every file of a flow exists, one before it imports it or both name the port by which it is
// reached, and no flow is longer than the count written under its heading.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { conclude } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";
import { publishedEntries } from "../workspace-packages.mjs";

const DOCUMENT = "ARCHITECTURE.md";
const FLOWS = ["An entry", "A model's call", "A warm start", "A crash", "A challenge"];
/** A folder, a file in it, or the port by which the next file is reached, as the document writes them. */
const WORD = /`(?:(?<folder>[\w/-]+\/src)|(?<file>[\w/.-]+\.ts)|(?<port>[A-Z]\w+))`/g;

const doors = new Map(
  publishedEntries().map(({ name, module }) => [
    name,
    module.replace("/dist/", "/src/").replace(/\.js$/, ".ts"),
  ]),
);
const text = readFileSync(join(root, DOCUMENT), "utf8");
const flows = text.split(/^### /m).filter((section) => FLOWS.some((title) => section.startsWith(title)));
const problems = FLOWS.filter((title) => !flows.some((flow) => flow.startsWith(title))).map(
  (title) => `${DOCUMENT}: the flow "${title} …" is missing.`,
);
for (const flow of flows) problems.push(...problemsOf(flow.split(/^#/m)[0]));
conclude(problems);

function problemsOf(flow) {
  const [title] = flow.split("\n");
  const wrong = (what) => `${DOCUMENT}, "${title}": ${what}`;
  const found = [];
  const files = [];
  let folder = "";
  let port;
  for (const { groups } of flow.matchAll(WORD)) {
    if (groups.folder !== undefined) folder = groups.folder;
    else if (groups.port !== undefined) port = groups.port;
    else {
      const file = join("packages", folder, groups.file);
      if (!existsSync(join(root, file))) found.push(wrong(`there is no ${file}.`));
      else if (files.length > 0 && !files.some((earlier) => leadsTo(earlier, file, port)))
        found.push(
          wrong(
            port === undefined
              ? `no earlier file imports ${file}.`
              : `no earlier file and ${file} both name ${port}.`,
          ),
        );
      if (existsSync(join(root, file)) && !files.includes(file)) files.push(file);
      port = undefined;
    }
  }
  const most = Number(/^\*(\d+) files/m.exec(flow)?.[1] ?? 0);
  if (files.length > most)
    found.push(wrong(`${files.length} files are more than the ${most} under its heading; shorten the flow.`));
  return found;
}

function leadsTo(earlier, file, port) {
  if (port === undefined) return importsOf(earlier).includes(file);
  const names = new RegExp(`\\b${port}\\b`);
  return names.test(sourceOf(earlier)) && names.test(sourceOf(file));
}

function importsOf(file) {
  return [...sourceOf(file).matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, target]) =>
    target.startsWith(".") ? join(dirname(file), target) : doors.get(target),
  );
}

function sourceOf(file) {
  return readFileSync(join(root, file), "utf8");
}
