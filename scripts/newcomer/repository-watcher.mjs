// Copied into an empty place and loaded first by every Node that is started there: writes down which modules come from the repository, and
// which of its files are looked at. Where that is, and where to write, is told in its own address.
import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const { appendFileSync } = fs;
const told = new URL(import.meta.url).searchParams;
const repository = told.get("repository");
const log = told.get("log");

const NAMES = ["open", "readFile", "readdir", "stat", "lstat", "access", "realpath", "exists"];

function look(file) {
  if (typeof file !== "string" && !(file instanceof URL)) return;
  const isAddress = file instanceof URL || file.startsWith("file:");
  const path = isAddress ? fileURLToPath(file) : resolve(file);
  if (path.startsWith(repository)) appendFileSync(log, `${path}\n`);
}

function watch(owner, name) {
  const original = owner[name];
  if (original === undefined) return;
  const watched = function (file, ...rest) {
    look(file);
    return original.call(this, file, ...rest);
  };
  owner[name] = Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
}

for (const name of NAMES) {
  watch(fs, name);
  watch(fs, `${name}Sync`);
  watch(fs.promises, name);
}
syncBuiltinESMExports();
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) look(url);
    return next(url, context);
  },
});
