/**
 * A process whose worker never completes its start; it prints the worker's process id, and waits to
 * be killed.
 */
import { systemClock } from '@quire/core';
import { WorkerProcess } from '../../src/workers/worker-process.ts';
import { testLimits } from './test-pool.ts';
import { workerKind } from './test-work.process.ts';

/** Makes a process report that it loads packages, without ever loading any. */
const blocking = `
  import { registerHooks } from 'node:module';
  import { writeFileSync } from 'node:fs';
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('@quire/')) return next(specifier, context);
      writeFileSync(process.env.QUIRE_TEST_MARK, '');
      for (;;);
    },
  });`;

const worker = new WorkerProcess({
  kind: workerKind,
  setup: 'test',
  limits: {
    ...testLimits,
    nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(blocking)}`],
  },
  clock: systemClock,
});
process.stdout.write(`${JSON.stringify([worker.pid])}\n`);
await worker.open();
