import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { constants, getPriority, setPriority } from 'node:os';
import { QuireError } from '@quire/core';
import { decodeError } from '@quire/core/process';
import { traced, traceHeaders } from '@quire/core/trace';
import { type FromWorker, type Outcome, outcomeOf, type ToWorker, valueOf } from './messages.ts';
import type { Watchdog } from './watchdog.ts';
import type { WorkerModule, WorkRunner } from './worker-kind.ts';

/**
 * The niceness of busy workers, which yield to the process that serves pages. Only root may set a
 * niceness below that of the parent process.
 */
const workerNiceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5);

const calls = new Map<number, (outcome: Outcome) => void>();
let callCount = 0;
let runner: WorkRunner | undefined;
let cancelling = new AbortController();

/**
 * Opens the kind of work in the module that the parent names, then runs one piece of work at a
 * time, until it is stopped.
 */
export function listen(watchdog: Watchdog): void {
  volunteerForOomKill();
  process.on('message', (message: ToWorker) => {
    switch (message.kind) {
      case 'open':
        return void open(message);
      case 'run':
        return void run(message, watchdog);
      case 'cancel':
        return cancelling.abort(decodeError(message.reason));
      case 'reply':
        return calls.get(message.callId)?.(message.outcome);
      case 'stop':
        return void stop();
    }
  });
}

async function open({ module, setup, isTraced }: ToWorker & { kind: 'open' }): Promise<void> {
  const outcome = await outcomeOf(async () => {
    if (isTraced) {
      const { traceWorker } = await import('../tracing/trace-worker.ts');
      traceWorker((spans) => send({ kind: 'spans', spans }));
    }
    const { workerKind } = (await import(module)) as WorkerModule;
    if (workerKind === undefined) {
      throw new QuireError('INTERNAL', `The module ${module} exports no workerKind.`);
    }
    runner = await workerKind.open(setup, { pid: process.pid, call: callParent });
  });
  send({ kind: 'opened', outcome, directories: runner?.directories ?? [] });
  // Node writes its compile cache at the exit of a process, but most workers are killed.
  flushCompileCache();
}

async function run(
  { input, trace }: ToWorker & { kind: 'run' },
  watchdog: Watchdog,
): Promise<void> {
  watchdog.setBusy(true);
  cancelling = new AbortController();
  send({ kind: 'started' });
  const { signal } = cancelling;
  // The priority is lowered after the start: a caller that waits for a process to start waits for
  // the work as well.
  setPriority(workerNiceness);
  const { pid } = process;
  const outcome = await outcomeOf(() =>
    traced('worker', async () => runner?.run(input, { pid, signal, call: callParent }), {
      parent: trace ?? null,
      attributes: { 'process.pid': pid },
    }),
  );
  watchdog.setBusy(false);
  send({ kind: 'done', outcome, residentBytes: process.memoryUsage.rss() });
}

function callParent(name: string, input: unknown): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const callId = (callCount += 1);
  calls.set(callId, resolve);
  send({ kind: 'call', callId, name, input, trace: traceHeaders() });
  return promise.then((outcome) => {
    calls.delete(callId);
    return valueOf(outcome);
  });
}

async function stop(): Promise<void> {
  await runner?.[Symbol.asyncDispose]();
  process.exit(0);
}

function send(message: FromWorker): void {
  // The channel is closed only when the parent has ended, and then this process ends as well.
  process.send?.(message, undefined, undefined, () => undefined);
}

/** Makes the kernel kill this process before others if the machine runs out of memory. */
function volunteerForOomKill(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // If the system does not allow this, the kernel chooses a process itself. The watchdog enforces
    // the limit in any case.
  }
}
