/**
 * Pages are short-lived bytes outside the heap of JavaScript, which hold the process's memory until
 * the small objects that stand for them are collected: a small young generation sees to that
 * sooner, and takes less itself.
 *
 * Node reads files on a pool of threads; with its usual four, a few slow reads would keep all
 * others waiting. The size counts only until the pool is first used, so everything else is loaded
 * after this.
 */
process.env['UV_THREADPOOL_SIZE'] ??= '16';

const { processEnvironment } = await import('./environment.ts');
const { runCommand } = await import('./run-command.ts');

// From a clone there is no `quire` on the path yet, but there is a script of that name.
const invocation = import.meta.filename.endsWith('.ts') ? 'npm run -s quire --' : 'quire';

const exitCode = await runCommand(process.argv.slice(2), processEnvironment(invocation));
// Everything was written and, after a graceful stop, closed; after an abrupt one, what still runs
// must not keep us.
process.exit(exitCode);
