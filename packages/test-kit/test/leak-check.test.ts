import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { leakCheck } from "../src/leak-check.ts";
import { testRunId } from "../src/test-run.ts";

const FEW = { rounds: 3 };

test("a cleared timer and a closed server are no leak", async () => {
  const check = leakCheck();
  const timer = setTimeout(() => {}, 1_000_000);
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  clearTimeout(timer);
  server.close();
  await check.assertClean();
});

test("a timer that existed before the check is no leak", async () => {
  const timer = setInterval(() => {}, 1_000_000);
  await leakCheck(FEW).assertClean();
  clearInterval(timer);
});

test("a leaked process listener is reported with its event", async () => {
  const check = leakCheck(FEW);
  const listener = () => {};
  process.on("SIGUSR2", listener);
  await expect(check.assertClean()).rejects.toThrow(`1 listener of the process's event "SIGUSR2"`);
  process.off("SIGUSR2", listener);
});

test("a leaked child process is reported with its command until it is killed", async () => {
  const check = leakCheck(FEW);
  const patient = leakCheck();
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", "the-leaked-one"]);
  await once(child, "spawn");
  await expect(check.assertClean()).rejects.toThrow(new RegExp(`process ${child.pid}: .*the-leaked-one`));
  child.kill("SIGKILL");
  await patient.assertClean();
});

test("a marked orphan in its own process session is reported", async () => {
  const check = leakCheck(FEW);
  const patient = leakCheck();
  const program = `
    const { spawn } = require("node:child_process");
    const sleeper = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", "the-orphan"], { detached: true, stdio: "ignore" });
    sleeper.unref();
    console.log(sleeper.pid);`;
  const parent = spawn(process.execPath, ["-e", program], { env: { JACKFIELD_TEST_RUN: testRunId() } });
  const [pid] = await once(parent.stdout, "data");
  await once(parent, "close");
  await expect(check.assertClean()).rejects.toThrow(new RegExp(`process ${Number(pid)}: .*the-orphan`));
  process.kill(Number(pid), "SIGKILL");
  await patient.assertClean();
});

test("a leaked timer is reported with the place that set it", async () => {
  const check = leakCheck(FEW);
  const timer = setInterval(() => {}, 1_000_000);
  await expect(check.assertClean()).rejects.toThrow(/timer opened at .*leak-check\.test\.ts/);
  clearInterval(timer);
});

test("a leaked server is reported", async () => {
  const check = leakCheck(FEW);
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  await expect(check.assertClean()).rejects.toThrow("server opened at");
  server.close();
  await once(server, "close");
});

test("an unref'd timer is no leak", async () => {
  const check = leakCheck(FEW);
  setTimeout(() => {}, 1_000_000).unref();
  await check.assertClean();
});

test("the check works under fake timers", async () => {
  vi.useFakeTimers();
  try {
    await leakCheck(FEW).assertClean();
  } finally {
    vi.useRealTimers();
  }
});

test("an unhandled rejection is reported, one handled late is not", async () => {
  const module = fileURLToPath(new URL("../src/leak-check.ts", import.meta.url));
  const run = async (program: string) => {
    const source = `import { leakCheck } from ${JSON.stringify(module)}; const check = leakCheck({ rounds: 3 }); ${program}; await check.assertClean();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", source]);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, "close");
    return { code, stderr };
  };
  const unhandled = await run(`Promise.reject(new Error("nobody listens"))`);
  expect(unhandled.stderr).toContain("unhandled rejection: Error: nobody listens");
  expect(unhandled.code).not.toBe(0);
  const late = await run(
    `const late = Promise.reject(new Error("x")); setTimeout(() => late.catch(() => {}), 1)`,
  );
  expect(late.code, late.stderr).toBe(0);
});
