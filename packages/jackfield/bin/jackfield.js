#!/usr/bin/env node
import { keepCompiledModules, runCommandLine } from "../dist/commands.js";

keepCompiledModules();
process.exitCode = await runCommandLine(process.argv.slice(2));
