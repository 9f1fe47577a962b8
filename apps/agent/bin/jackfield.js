#!/usr/bin/env node
import { runDemoCommandLine } from "../dist/demo-command-line.js";

process.exitCode = await runDemoCommandLine(process.argv.slice(2));
