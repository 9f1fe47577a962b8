import { createRequire } from "node:module";
import { resolve } from "node:path";

type Judge = (value: unknown) => boolean;
type Ajv = { compile(schema: object): Judge };

/** Ajv stands among the tools of the package that publishes schemas. */
const FROM = resolve(import.meta.dirname, "../../../jackfield/package.json");
const { Ajv2020 } = createRequire(FROM)("ajv/dist/2020.js") as {
  Ajv2020: new (options: { readonly strict: boolean }) => Ajv;
};
// Made once: it takes longer to read the rules of schemas than to read a schema.
const ajv = new Ajv2020({ strict: false });

/** What a validator that is not ours says of values. Throws for what is no schema of 2020-12. */
export function judgeOf(schema: object): Judge {
  return ajv.compile(schema);
}
