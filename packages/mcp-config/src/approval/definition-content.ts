import { canonicalJson, type ServerDefinition } from "@jackfield/mcp-core";
import type { PartPlace } from "../project-boundary.ts";
import { withoutDerived } from "./approved-fields.ts";

/**
 * Everything that an approval of a definition covers, as one text: the whole entry as written, its name and its file ([T02], [T03]
 * of the threat list); for a joined entry, also which file wrote which field. Not included are its position in the file, the weaker
 * entries that it shadows, the list that disabled it, and derived fields. Equal definitions give equal texts, whatever the order of
 * their members.
 */
export function definitionContent(definition: ServerDefinition): string {
  const { definedIn, shadows: _shadows, disabledBy: _disabledBy, ...written } = withoutDerived(definition);
  const { host, parts = {} } = definedIn;
  const whole = { ...placeOf(definedIn), host };
  const ofParts = Object.entries(parts).map(([field, part]) => [field, placeOf(part)]);
  const place = ofParts.length === 0 ? whole : { ...whole, parts: Object.fromEntries(ofParts) };
  return canonicalJson({ ...written, definedIn: place });
}

function placeOf({ scope, file, realFile, root }: PartPlace) {
  return { scope, file: realFile ?? file, root };
}
