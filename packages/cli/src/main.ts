import { setFlagsFromString } from 'node:v8';

/**
 * Pages are short-lived bytes outside the JavaScript heap. They occupy memory until the small
 * objects that refer to them are collected, which a small young generation does sooner; it also
 * takes less memory itself. A full collection starts when the heap has grown by three quarters
 * since the last one; by default, V8 lets a heap of this size grow to three times as much.
 *
 * Node reads files on a pool of threads; with the default of four, a few slow reads would block all
 * others. The size must be set before the pool is first used, so everything else is loaded after
 * this.
 */
process.env['UV_THREADPOOL_SIZE'] ??= '16';
setFlagsFromString('--heap-growing-percent=75');

const { processEnvironment } = await import('./environment.ts');
const { runCommand } = await import('./run-command.ts');

// A clone has no `quire` on the path, but an npm script with that name.
const invocation = import.meta.filename.endsWith('.ts') ? 'npm run -s quire --' : 'quire';

const exitCode = await runCommand(process.argv.slice(2), processEnvironment(invocation));
// Everything was written and, after a graceful stop, closed. After an abrupt one, running work must
// not keep the process alive.
process.exit(exitCode);
