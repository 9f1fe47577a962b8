import { describe, expect, it } from "vitest";
import { chooseTool } from "../../src/offline-model/tool-choice.ts";
import { CHAT_TOOLS } from "../fixtures/demo-tools.ts";

describe("the offline model's choice among the demo servers' tools", () => {
  it.each([
    ['Write a file with path "a.txt" and content "hello"', "mcp__filesystem__write_file"],
    ['write "hello" to path "a.txt"', "mcp__filesystem__write_file"],
    ['Read the text file with path "a.txt".', "mcp__filesystem__read_text_file"],
    ["list the allowed directories", "mcp__filesystem__list_allowed_directories"],
    ['list the directory "."', "mcp__filesystem__list_directory"],
    ['Create an entity with name "x"', "mcp__memory__create_entities"],
    ['Search the nodes for the query "x"', "mcp__memory__search_nodes"],
    ['search files in path "." for the pattern "*.txt"', "mcp__filesystem__search_files"],
    ["read the graph", "mcp__memory__read_graph"],
    ['Delete the entities with entityNames "x"', "mcp__memory__delete_entities"],
    ["Get the sum of 1 and 2 over HTTP", "mcp__everything-http__get-sum"],
    ["Get the sum of 1 and 2", "mcp__everything__get-sum"],
    ["Show me the tiny image over http", "mcp__everything-http__get-tiny-image"],
    ["use mcp__everything-http__echo", "mcp__everything-http__echo"],
  ])("%s: %s", (prompt, name) => {
    expect(chooseTool(prompt, CHAT_TOOLS)?.name).toBe(name);
  });

  it.each(["Hello!", "What can you do?", "How are you today?", "Thank you, that was all.", ""])(
    "calls no tool for %j",
    (prompt) => {
      expect(chooseTool(prompt, CHAT_TOOLS)).toBeUndefined();
    },
  );

  it("ignores words in quotes", () => {
    expect(chooseTool('echo the message "delete the entities"', CHAT_TOOLS)?.name).toBe(
      "mcp__everything__echo",
    );
    expect(chooseTool('I said "write a file".', CHAT_TOOLS)).toBeUndefined();
  });

  it("takes the first of equally good tools", () => {
    const tools = [{ name: "mcp__one__echo" }, { name: "mcp__two__echo" }];
    expect(chooseTool("echo", tools)?.name).toBe("mcp__one__echo");
    expect(chooseTool("echo", tools.toReversed())?.name).toBe("mcp__two__echo");
  });

  it("chooses nothing if no tool is offered", () => {
    expect(chooseTool("read a file", [])).toBeUndefined();
  });
});
