import { afterAll } from "vitest";
import { temporaryFolder } from "./fixture.ts";

/** Each file of tests has a home of its own; what it starts inherits that. */
const home = temporaryFolder();
process.env.JACKFIELD_HOME = home.path;
afterAll(() => home[Symbol.dispose]());
