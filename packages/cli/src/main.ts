#!/usr/bin/env node
import { processEnvironment } from './environment.ts';
import { runCommand } from './run-command.ts';

// From a clone there is no `quire` on the path yet, but there is a script of that name.
const invocation = import.meta.filename.endsWith('.ts') ? 'npm run -s quire --' : 'quire';

const exitCode = await runCommand(process.argv.slice(2), processEnvironment(invocation));
// Everything was written and, after a graceful stop, closed; after an abrupt one, what still runs must not keep us.
process.exit(exitCode);
