/** How much a catalog holds. */
export interface CatalogSize {
  readonly servers: number;
  readonly toolsEach: number;
}

/** What a user with very many servers has. */
export const MANY_SERVERS: CatalogSize = { servers: 50, toolsEach: 10 };

/** More than anybody has. */
export const MANY_TOOLS: CatalogSize = { servers: 200, toolsEach: 50 };

/** The scenario in which a catalog of this size is read. */
export const catalogScenario = ({ servers, toolsEach }: CatalogSize): string =>
  `catalog of ${servers} x ${toolsEach}`;

/** The ids under which such a catalog keeps its entries. */
export function catalogIds({ servers }: CatalogSize): string[] {
  return Array.from({ length: servers }, (_, index) => `server-${index + 1}`);
}
