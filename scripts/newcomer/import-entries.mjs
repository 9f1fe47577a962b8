// Copied into a project: loads each module named on its command line, as a module imports it and as a CommonJS program requires it, and
// prints those that fail, with the package they miss.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const failures = [];
for (const entry of process.argv.slice(2)) {
  try {
    const names = Object.keys(await import(entry));
    if (names.length === 0) failures.push({ entry, error: "it exports nothing" });
    require(entry);
  } catch (error) {
    const [, missing] = /Cannot find package '([^']+)'/.exec(error.message) ?? [];
    failures.push({ entry, error: error.message, missing });
  }
}
console.log(JSON.stringify(failures));
