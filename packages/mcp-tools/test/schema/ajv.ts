import { Ajv2020 } from "ajv/dist/2020.js";

// Created once: reading the metaschema takes longer than compiling a schema.
const ajv = new Ajv2020({ strict: false });

/** The verdict of an independent validator on values. Throws for an invalid 2020-12 schema. */
export function judgeOf(schema: object): (value: unknown) => boolean {
  return ajv.compile(schema);
}
