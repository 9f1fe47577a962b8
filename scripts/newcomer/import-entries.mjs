// Copied into a project: imports each module named on its command line and prints those that fail, with the package they miss.
const failures = [];
for (const entry of process.argv.slice(2)) {
  try {
    const names = Object.keys(await import(entry));
    if (names.length === 0) failures.push({ entry, error: "it exports nothing" });
  } catch (error) {
    const [, missing] = /Cannot find package '([^']+)'/.exec(error.message) ?? [];
    failures.push({ entry, error: error.message, missing });
  }
}
console.log(JSON.stringify(failures));
