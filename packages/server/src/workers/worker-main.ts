/**
 * The process of a worker. It watches over its parent and its memory before anything else is
 * loaded, which can take seconds on a busy machine: a worker whose parent is gone by then ends too.
 */
import { readWatchdogArguments, Watchdog } from './watchdog.ts';

const watchdog = new Watchdog(readWatchdogArguments(process.argv));
// Ctrl-C reaches all processes of a terminal, and a supervisor may tell them all to stop: when a
// worker ends is its parent's decision.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
// Sooner than the watchdog, where the event loop is free.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Messages that come before it listens wait for it.
const { listen } = await import('./worker-loop.ts');
listen(watchdog);
