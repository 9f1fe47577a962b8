// Runs before every test file of this package.
import { useLeakCheck } from "@jackfield/test-kit";
import { aroundEach } from "vitest";
import { runCleaningUp } from "./cleanup.ts";

useLeakCheck();
aroundEach((runTest) => runCleaningUp(runTest));
