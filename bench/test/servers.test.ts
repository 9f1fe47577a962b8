import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { echoArguments, textOf } from "../src/clients/client.ts";
import { connectHttp } from "../src/clients/hand-written-http.ts";
import { connectStdio } from "../src/clients/hand-written-stdio.ts";
import { serveHttp, stdioServer } from "../src/server-process.ts";
import { readStarts, renewNotes } from "../src/servers/notes.ts";
import { createSessions } from "../src/servers/sessions.ts";

const ECHO = { name: "echo", takes: "text" };

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function notesDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), "bench-servers-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "notes");
}

async function connect(name: string, notes: string) {
  const server = stdioServer(name, notes);
  if (server.transport !== "stdio") throw new Error("It is a stdio server.");
  const connection = await connectStdio(server.command, server.args);
  cleanUps.push(() => connection.close());
  return connection;
}

describe("a stdio server", () => {
  test("records each of its starts with its process id and time", async () => {
    const notes = notesDirectory();
    renewNotes(notes);
    const before = process.hrtime.bigint();
    await (await connect("one", notes)).request("ping", {});
    await (await connect("two words", notes)).request("ping", {});
    const starts = readStarts(notes);
    expect(starts.map(({ name }) => name)).toEqual(["one", "two words"]);
    for (const { at, pid } of starts) {
      expect(at > before && at < process.hrtime.bigint()).toBe(true);
      expect(process.kill(pid, 0)).toBe(true);
    }
  });

  test("that hangs does not answer, and ends with its input", async () => {
    const notes = notesDirectory();
    renewNotes(notes, { hangs: { hangs: true } });
    const hanging = await connect("hangs", notes);
    const answered = await connect("answers", notes);
    const nothing = hanging.request("ping", {}).then(
      () => "answered",
      () => "ended",
    );
    await answered.request("ping", {});
    await hanging.close();
    expect(await nothing).toBe("ended");
  });

  test("repeats the text as often as the call says", async () => {
    const notes = notesDirectory();
    renewNotes(notes);
    const connection = await connect("server", notes);
    const call = { name: "echo", arguments: echoArguments(ECHO, "ab", 3) };
    expect(textOf(await connection.request("tools/call", call))).toBe("ababab");
  });
});

describe("a server behind HTTP", () => {
  test("lists as many tools as its URL says", async () => {
    await using served = await serveHttp("json");
    if (served.server.transport !== "http") throw new Error("It is behind HTTP.");
    const connection = await connectHttp(`${served.server.url}?tools=25`);
    cleanUps.push(() => connection.close());
    expect(await connection.request("tools/list", {})).toHaveProperty("tools.length", 25);
  });

  test("with sessions refuses a request without one, and with a forgotten one", () => {
    const sessions = createSessions();
    const refusal = (method: string, id?: string) => sessions.sessionFor({ id: 1, method }, id);
    expect(refusal("tools/list")).toEqual({ refusal: 400 });
    expect(refusal("tools/list", "1")).toEqual({ refusal: 404 });
    expect(refusal("initialize")).toEqual({ id: "1" });
    expect(refusal("tools/call", "1")).toEqual({ id: "1" });
    sessions.forget();
    expect(refusal("tools/call", "1")).toEqual({ refusal: 404 });
    expect(refusal("initialize", "1")).toEqual({ id: "2" });
  });

  test("reports the requests it answered before the call, not those that only arrived", () => {
    const sessions = createSessions();
    const initialize = { id: 1, method: "initialize" };
    const list = { id: 2, method: "tools/list" };
    sessions.sessionFor(initialize, undefined);
    sessions.forget();
    sessions.sessionFor(initialize, undefined);
    sessions.noteAnswer(initialize);
    sessions.noteAnswer({ method: "notifications/initialized" });
    sessions.sessionFor(list, "2");
    sessions.sessionFor({ id: 3, method: "tools/call" }, "2");
    sessions.noteAnswer(list);
    expect(sessions.answeredBeforeCall()).toEqual(["initialize"]);
  });
});
