// Plants a sibling import and a cycle, one after the other, and makes sure that the layer check refuses each with its reason.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { conclude } from "../tracked-files.mjs";
import { root, run } from "../workspace.mjs";

const FOLDER = "packages/mcp-manager/src/planted";
const BREACHES = [
  {
    rule: "no-siblings-in-the-star",
    files: {
      "breach.ts":
        'import { createConnector } from "../../../mcp-transports/src/index.ts";\n\nexport const planted = createConnector;\n',
    },
  },
  {
    rule: "no-cycles",
    files: {
      "one.ts": 'import { two } from "./two.ts";\n\nexport const one = (): unknown => two;\n',
      "two.ts": 'import { one } from "./one.ts";\n\nexport const two = (): unknown => one;\n',
    },
  },
];

const problems = [];
for (const { rule, files } of BREACHES) {
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = join(root, FOLDER, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const { code, output } = await run("depcruise", [
      "--config",
      ".dependency-cruiser.cjs",
      "--output-type",
      "err-long",
      "packages/mcp-manager/src",
    ]);
    if (code === 0 || !output.includes(rule))
      problems.push(`A planted breach of "${rule}" was not refused:\n${output}`);
  } finally {
    rmSync(join(root, FOLDER), { recursive: true, force: true });
  }
}
conclude(problems);
