import type { CatalogEntry, PriorHandshake, ToolCache } from "@jackfield/mcp-core";
import type { Secrecy } from "./secrecy.ts";

/** What of an answer to `server/discover` programs connect by. */
const AGREED = ["capabilities", "supportedVersions"];

/**
 * The same catalog, which keeps nothing that was filled into a definition: a server may repeat it in all it says, also in what is kept to
 * connect to it again. What was agreed with the server stays as it was said, and an entry in which nothing has to be hidden as it came.
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
