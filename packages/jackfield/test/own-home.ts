import { afterAll } from "vitest";
import { temporaryFolder } from "./fixture.ts";

/** Each file of tests has a home of its own; what it starts inherits that. */
const home = temporaryFolder();
process.env.JACKFIELD_HOME = home.path;
// The command line reads the files of every host in the home.
process.env.HOME = home.path;
delete process.env.XDG_CONFIG_HOME;
delete process.env.JACKFIELD_HOSTS;
afterAll(() => home[Symbol.dispose]());
