// What users of an entry can see, in one declaration file: everything it exports and every type that these mention, however many
// files they are declared in.
import { isAbsolute } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";

/**
 * Rolls the declarations of one built entry up. Other packages' types stay imports. Comments are left out: a better docstring is not
 * another face.
 *
 * @returns the face, and what any declaration imports that a compiler meets on the way, seen on the face or not
 */
export async function rollUp(declarations) {
  const imported = new Set();
  const bundle = await rollup({
    input: declarations,
    plugins: [dts()],
    external: (id) => {
      const isExternal = !id.startsWith(".") && !isAbsolute(id);
      if (isExternal) imported.add(id);
      return isExternal;
    },
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  return { face: withoutComments(output[0].code), imported };
}

function withoutComments(code) {
  const printer = ts.createPrinter({ removeComments: true });
  const file = ts.createSourceFile("face.d.ts", code, ts.ScriptTarget.Latest);
  const statements = file.statements.map((statement) =>
    printer.printNode(ts.EmitHint.Unspecified, statement, file),
  );
  return `${statements.join("\n")}\n`;
}
