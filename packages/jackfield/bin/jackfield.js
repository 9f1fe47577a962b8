#!/usr/bin/env node
import { runCommandLine } from "../dist/cli.js";

process.exitCode = await runCommandLine(process.argv.slice(2));
