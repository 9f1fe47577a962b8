export {
  cryptography,
  fileSystem,
  hasErrorCode,
  loadSqlite,
  sqliteErrorCode,
} from "./node/builtin-modules.ts";
export {
  type CommandFinding,
  type CommandSearch,
  findCommand,
  type PassedOver,
  projectsAmong,
  withoutRelativeEntries,
} from "./node/command-lookup.ts";
export { type FileLockOptions, tryFileLock, withFileLock } from "./node/file-lock.ts";
export { hearHiddenPool } from "./node/hidden-pool.ts";
export { authoritiesWith, chooseProxy, type ProxyChoice } from "./node/network.ts";
export {
  addFile,
  type FoundFile,
  type InspectedFile,
  isSomebodyElses,
  PrivateFolder,
  type PrivateFolderOptions,
  replaceFile,
} from "./node/private-folder.ts";
export { type StoreClient, storeClientsOf } from "./node/store-client.ts";
export { loadUndici } from "./node/undici.ts";
