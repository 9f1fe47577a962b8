import { resolve } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];
type Build = Parameters<Plugin["setup"]>[0];
type Esbuild = Build["esbuild"];

/**
 * Puts what several entries share into files that are named here: each layer is one file, with all that its module imports and no layer
 * before it has. Left to itself, the bundler makes a file for each set of entries that share something, and a program that
 * starts loads most of them: to find a file takes as long as to compile thirty kilobytes.
 *
 * A layer exports what other files import of it, and imports each name once, because whenever the engine compiles a function it walks
 * through the names that its module shares. Which they are is seen in a draft, in which every layer exports all it has.
 *
 * @param layers - the module of each layer by the name of its file, the one that is loaded first before the others
 */
export function layered(layers: { readonly [name: string]: string }): Plugin {
  return {
    name: "layers",
    async setup(build) {
      const { initialOptions, esbuild } = build;
      const entries = { ...(initialOptions.entryPoints as Record<string, string>) };
      // What is an entry says what is public of what it imports, and has nothing itself.
      const layerOf = new Map(Object.values(entries).map((entry) => [resolve(entry), ENTRY]));
      for (const [name, module] of Object.entries(layers)) {
        entries[name] = `${LAYER}${name}`;
        for (const file of await reachedFrom(module, esbuild))
          if (!layerOf.has(file)) layerOf.set(file, name);
      }
      initialOptions.entryPoints = entries;
      const draft: Plugin = { name: "draft", setup: (whole) => divide(whole, layerOf) };
      const { outputFiles } = await esbuild.build({
        ...BUNDLE,
        entryPoints: entries,
        splitting: true,
        outdir: "draft",
        plugins: [draft],
      });
      divide(build, layerOf, {
        sharedOf: (layer) => [...new Set(outputFiles.flatMap(({ text }) => namesImported(text, layer)))],
        importedBy: (from, layer) => {
          const text = outputFiles.find(({ path }) => path === resolve("draft", `${from}.js`))?.text ?? "";
          return [...new Set(namesImported(text, layer))];
        },
        moduleOf: (layer) => resolve(layers[layer] ?? ""),
      });
    },
  };
}

/** No path begins like these; what does not look like one would be taken for a package. */
const LAYER = "./layer:";
const WHOLE_LAYER = "./whole-layer:";
const ENTRY = "";

/** What is known from a draft. */
interface Sharing {
  /** Every name that other files import of a layer. */
  sharedOf(layer: string): readonly string[];
  /** The names that one layer imports of another. */
  importedBy(from: string, layer: string): readonly string[];
  /** The module that makes a layer. */
  moduleOf(layer: string): string;
}

function divide(
  { onResolve, onLoad }: Build,
  layerOf: ReadonlyMap<string, string>,
  sharing?: Sharing | undefined,
): void {
  for (const [prefix, namespace] of [
    [LAYER, "layer"],
    [WHOLE_LAYER, "whole-layer"],
  ] as const) {
    onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({
      path: path.slice(prefix.length),
      namespace,
    }));
  }
  onResolve({ filter: /./, namespace: "imports" }, ({ path }) => ({ path, external: true }));
  onResolve({ filter: /^\./ }, ({ path, importer, kind, resolveDir }) => {
    const file = resolve(resolveDir, path);
    const layer = layerOf.get(file) ?? ENTRY;
    const from = layerOf.get(importer) ?? ENTRY;
    if (kind === "entry-point" || layer === ENTRY || from === layer) return undefined;
    if (kind === "dynamic-import" && sharing && sharing.moduleOf(layer) !== file) {
      return { errors: [{ text: `of "${layer}", only its module can be imported when it is needed` }] };
    }
    const isShared = sharing !== undefined && from !== ENTRY && kind === "import-statement";
    return isShared
      ? { path: `${from} ${layer}`, namespace: "imports" }
      : { path: `./${layer}.js`, external: true };
  });
  onLoad({ filter: /./, namespace: "imports" }, ({ path }) => {
    const [from = "", layer = ""] = path.split(" ");
    return { contents: `export { ${sharing?.importedBy(from, layer)} } from "./${layer}.js";` };
  });
  onLoad({ filter: /./, namespace: "layer" }, ({ path: layer }) => {
    if (sharing === undefined) return { contents: `export * from "${WHOLE_LAYER}${layer}";` };
    // What is loaded when it is needed has all that its module exports; an entry has its own file.
    const module = sharing.moduleOf(layer);
    const own = layerOf.get(module) === layer ? `export * from ${JSON.stringify(module)};` : "";
    return {
      contents: `export { ${sharing.sharedOf(layer)} } from "${WHOLE_LAYER}${layer}"; ${own}`,
      resolveDir: process.cwd(),
    };
  });
  onLoad({ filter: /./, namespace: "whole-layer" }, ({ path }) => {
    const files = [...layerOf].filter(([, layer]) => layer === path).map(([file]) => file);
    const contents = files.map((file) => `export * from ${JSON.stringify(file)};`).join("\n");
    return { contents, resolveDir: process.cwd() };
  });
}

/** The names that a built file imports of a layer, or exports from it. */
function namesImported(text: string, layer: string): readonly string[] {
  const pattern = new RegExp(`^(?:import|export) (\\{[^}]*\\}|\\*.*) from "\\./${layer}\\.js";$`, "gm");
  return Array.from(text.matchAll(pattern), ([, names = ""]) => {
    if (!names.startsWith("{")) throw new Error(`of "${layer}", names are imported, not ${names}`);
    return names
      .slice(1, -1)
      .split(",")
      .map((name) => name.trim().split(" ")[0] ?? "");
  }).flat();
}

const BUNDLE = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  packages: "external",
} as const;

/** The module, and every module of this package that is loaded with it. */
async function reachedFrom(module: string, { build }: Esbuild): Promise<readonly string[]> {
  const { metafile } = await build({
    ...BUNDLE,
    entryPoints: [module],
    metafile: true,
  });
  const reached = new Set([module]);
  for (const file of reached)
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? [])
      if (kind === "import-statement" && external !== true) reached.add(path);
  return [...reached].map((file) => resolve(file));
}
