import type { CatalogEntry, PriorHandshake, ToolCache } from "@jackfield/mcp-core";
import type { Secrecy } from "./secrecy.ts";

/** Fields of a `server/discover` result that programs connect by. */
const AGREED = ["capabilities", "supportedVersions"];

/**
 * The same catalog, which stores no value that was filled into a definition: a server may repeat one in anything it sends, also in `prior`.
 * Fields agreed with the server stay unchanged, and so does an entry without such values.
 */
export function createSecretlessCatalog(
  catalog: ToolCache,
  { hasSecrets, hideIn }: Pick<Secrecy, "hasSecrets" | "hideIn">,
): ToolCache {
  const harmless = (entry: CatalogEntry): CatalogEntry => {
    if (!hasSecrets()) return entry;
    const text = JSON.stringify(entry);
    if (hideIn(text) === text) return entry;
    const { capabilities, prior } = entry;
    return { ...hideIn(entry), capabilities, prior: prior && withHiddenWords(prior) };
  };
  const withHiddenWords = (prior: PriorHandshake): PriorHandshake => {
    if (prior.era === "legacy") return prior;
    const { discover } = prior;
    const agreed = AGREED.filter((field) => field in discover).map(
      (field) => [field, discover[field]] as const,
    );
    return { ...prior, discover: { ...hideIn(discover), ...Object.fromEntries(agreed) } };
  };
  return {
    identify: (server, principal) => catalog.identify(server, principal),
    getMany: (ids) => catalog.getMany(ids),
    set: (id, entry) => catalog.set(id, harmless(entry)),
    markStale: (id) => catalog.markStale(id),
    delete: (id) => catalog.delete(id),
    list: () => catalog.list(),
    close: () => catalog.close(),
  };
}
