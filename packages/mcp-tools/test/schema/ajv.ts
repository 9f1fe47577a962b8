import { Ajv2020 } from "ajv/dist/2020.js";

// Made once: it takes longer to read the rules of schemas than to read a schema.
const ajv = new Ajv2020({ strict: false });

/** What a validator that is not ours says of values. Throws for what is no schema of 2020-12. */
export function judgeOf(schema: object): (value: unknown) => boolean {
  return ajv.compile(schema);
}
