import { expect, test } from "vitest";
import { anchorCommand, anchorPath } from "../src/entry/definition.ts";

test.each([
  ["work", "/project/work"],
  ["./work/../x", "/project/x"],
  ["../other", "/other"],
  [".", "/project"],
  ["/absolute", "/absolute"],
  ["${HOME}/work", "${HOME}/work"],
  ["work/${NAME:-a//b}/../x", "/project/work/${NAME:-a//b}/../x"],
])("the path %s becomes %s", (path, expected) => {
  expect(anchorPath(path, "/project")).toBe(expected);
});

test.each([
  ["npx", "npx"],
  ["./server.js", "/project/server.js"],
  ["bin/server", "/project/bin/server"],
  ["/usr/bin/node", "/usr/bin/node"],
  ["${NODE:-node}", "${NODE:-node}"],
  ["${HOME}/bin/server", "${HOME}/bin/server"],
])("the command %s becomes %s", (command, expected) => {
  expect(anchorCommand(command, "/project")).toBe(expected);
});
