export {
  cryptography,
  fileSystem,
  hasErrorCode,
  loadSqlite,
  sqliteErrorCode,
} from "./node/builtin-modules.ts";
export { type FileLockOptions, tryFileLock, withFileLock } from "./node/file-lock.ts";
export {
  addFile,
  type FoundFile,
  type InspectedFile,
  isSomebodyElses,
  PrivateFolder,
  type PrivateFolderOptions,
  replaceFile,
} from "./node/private-folder.ts";
