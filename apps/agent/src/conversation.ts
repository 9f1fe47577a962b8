import { randomBytes } from "node:crypto";
import { join, parse } from "node:path";
import type { AgentAnswer } from "./frameworks/agent-framework.ts";

/** What must be true of an answer. */
interface Expectation {
  readonly description: string;
  holds(answer: AgentAnswer): boolean;
}

/** One turn of a scripted conversation. */
export interface Turn {
  readonly say: string;
  readonly expect: Expectation;
}

/** A scripted conversation and the file it leaves behind, relative to the demo folder. */
export interface Conversation {
  readonly turns: readonly Turn[];
  readonly file: string;
}

/**
 * A conversation about the demo servers in which every answer can be checked. What it writes and what it expects to read
 * carries `run`, so that nothing an earlier run left behind can make an answer right.
 *
 * @param options.run Letters and digits. Default: random.
 * @param options.folder The demo folder.
 */
export function scriptedConversation(options: {
  readonly folder: string;
  readonly run?: string | undefined;
}): Conversation {
  const run = options.run ?? randomBytes(4).toString("hex");
  const file = `note-${run}.txt`;
  const outside = join(parse(options.folder).root, `outside-${run}.txt`);
  return {
    file,
    turns: [
      ...fileTurns(file, run),
      ...memoryTurns(run),
      ...everythingTurns(run),
      ...errorTurns(outside, run),
    ],
  };
}

function fileTurns(file: string, run: string): Turn[] {
  const content = `The harbour light is number ${run}.`;
  return [
    {
      say: `Write a file with path "${file}" and content "${content}".`,
      expect: called("filesystem", "write_file"),
    },
    {
      say: `Read the text file with path "${file}".`,
      expect: says(content, called("filesystem", "read_text_file")),
    },
  ];
}

function memoryTurns(run: string): Turn[] {
  const name = `Ferry ${run}`;
  const fact = `leaves at quay ${run}`;
  return [
    {
      say: `Create an entity in memory with name "${name}", entityType "ship" and observations "${fact}".`,
      expect: called("memory", "create_entities"),
    },
    {
      say: `Search the nodes of the memory for the query "${name}".`,
      expect: says(fact, called("memory", "search_nodes")),
    },
    {
      say: `Delete the entities with entityNames "${name}" from memory.`,
      expect: called("memory", "delete_entities"),
    },
  ];
}

function everythingTurns(run: string): Turn[] {
  const a = Number.parseInt(run, 36) % 1_000;
  return [
    {
      say: "Get the tiny image.",
      expect: {
        description: "an image came back",
        holds: ({ calls }) => calls.some(({ ok, mediaTypes }) => ok && mediaTypes.includes("image/png")),
      },
    },
    {
      say: `Get the sum of ${a} and 4321 over HTTP, from everything-http.`,
      expect: says(String(a + 4321), called("everything-http", "get-sum")),
    },
  ];
}

function errorTurns(outside: string, run: string): Turn[] {
  const message = `still here ${run}`;
  return [
    {
      say: `Read the text file with path "${outside}".`,
      expect: {
        description: "the tool refused, and the agent said so",
        holds: ({ text, calls }) => calls.some(({ ok }) => !ok) && /denied|outside|allowed|error/i.test(text),
      },
    },
    {
      say: `Echo the message "${message}".`,
      expect: says(message, called("everything", "echo")),
    },
  ];
}

/** Any copy of the server will do: `everything` also stands for `everything-http`. */
function called(server: string, tool: string): Expectation {
  return {
    description: `${tool} of ${server} was called and succeeded`,
    holds: ({ calls }) =>
      calls.some((call) => call.ok && call.tool === tool && call.server.startsWith(server)),
  };
}

function says(words: string, also: Expectation): Expectation {
  return {
    description: `${also.description}, and the answer says "${words}"`,
    holds: (answer) => also.holds(answer) && answer.text.includes(words),
  };
}
