#!/usr/bin/env node
import { runProgram } from "../dist/commands.js";

process.exitCode = await runProgram(process.argv.slice(2));
