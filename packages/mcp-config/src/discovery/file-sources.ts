/**
 * What is needed only where there is a file to read, or an entry of another host. It is loaded in one piece, and by whoever needs any of
 * it: most programs have their servers in code, and to load this takes longer than everything else that is read for them.
 */
export { dialectOf, variablesOf } from "../hosts/host-dialects.ts";
export { endpointOf, endpointStem, offeredTools } from "../sources/server-endpoint.ts";
export { discoverHosts } from "./discovered-hosts.ts";
export { readNamedFiles } from "./named-files.ts";
