/**
 * The modules that are needed only to read files, or for entries of other hosts. They are loaded together and on demand: most
 * programs have their servers in code, and loading these takes longer than everything else that is read for them.
 */
export { dialectOf, variablesOf } from "../hosts/host-dialects.ts";
export { addressOf, endpointOf, endpointStem, offeredTools } from "../sources/server-endpoint.ts";
export { competeAgain } from "./competing-entries.ts";
export { discoverHosts } from "./discovered-hosts.ts";
export { readNamedFiles } from "./named-files.ts";
