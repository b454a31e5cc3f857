/**
 * The process of a worker. It watches its parent and its memory before it loads anything else,
 * which can take seconds on a busy machine: a worker whose parent has already ended must end too.
 */
import { readWatchdogArguments, Watchdog } from './watchdog.ts';

const watchdog = new Watchdog(readWatchdogArguments(process.argv));
// Ctrl-C reaches all processes of a terminal, and a supervisor may signal all of them: only the
// parent decides when a worker ends.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
// Ends this process faster than the watchdog, if the event loop is free.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Earlier messages are queued until it listens.
const { listen } = await import('./worker-loop.ts');
listen(watchdog);
