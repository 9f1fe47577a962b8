// Every name a published package exports has a docstring where it is declared.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { conclude } from "../tracked-files.mjs";
import { root } from "../workspace.mjs";
import { publishedPackages } from "../workspace-packages.mjs";

const problems = [];
for (const { folder, manifest } of publishedPackages()) {
  for (const target of Object.values(manifest.exports)) {
    const built = typeof target === "object" ? target.default : undefined;
    if (built === undefined) continue;
    const entry = join(folder, "src", built.replace("./dist/", "").replace(/\.js$/, ".ts"));
    for (const { name, file } of exportedNames(entry)) {
      const text = readFileSync(join(root, file), "utf8");
      const declaration = new RegExp(
        `(^|\\n)export (?:declare )?(?:async )?(?:interface|type|const|function|class|abstract class) ${name}\\b`,
      );
      const found = declaration.exec(text);
      if (found === null) problems.push(`${file}: "${name}" is exported, but not declared there.`);
      else if (!withoutSuppression(text.slice(0, found.index)).endsWith("*/"))
        problems.push(`${file}: "${name}" has no docstring.`);
    }
  }
}
conclude(problems);

/** A linter's suppression stands between a docstring and what it is of. */
function withoutSuppression(before) {
  return before.trimEnd().replace(/\n\/\/ biome-ignore [^\n]*$/, "");
}

/** The names a file exports, and where each is declared: in the file itself or one it re-exports from. */
function exportedNames(entry) {
  const text = readFileSync(join(root, entry), "utf8");
  const names = [];
  for (const [, list, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from "(\.[^"]*)"/g)) {
    for (const part of list
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean)) {
      names.push({
        name: part.replace(/^type /, "").replace(/ as .*/, ""),
        file: join(dirname(entry), from),
      });
    }
  }
  for (const [, name] of text.matchAll(
    /\nexport (?:async )?(?:interface|type|const|function|class) (\w+)/g,
  )) {
    names.push({ name, file: entry });
  }
  return names;
}
