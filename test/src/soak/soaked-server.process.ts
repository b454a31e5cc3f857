/**
 * A server of all roles whose clock jumps: `soaked-server.process.ts <settings file>`. It answers
 * messages `{jumpMs}` with `{nowMs}`, and `{sample: true}` with its resource use.
 */
import { openSync, writeSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { getActiveResourcesInfo, memoryUsage } from 'node:process';
import { startQuire } from '@quire/server';
import { testVariables } from '../testkit/cli-process.ts';
import { JumpingClock } from './jumping-clock.ts';
import type { ProcessSample, SoakAnswer, SoakRequest } from './soak-messages.ts';

const [, , file = ''] = process.argv;
const ahead = new Float64Array(1);
const aheadPath = `${file}.ahead`;
await writeFile(aheadPath, new Uint8Array(ahead.buffer));
const aheadFile = openSync(aheadPath, 'r+');
const clock = new JumpingClock((aheadMs) => {
  ahead[0] = aheadMs;
  writeSync(aheadFile, new Uint8Array(ahead.buffer), 0, 8, 0);
});
// For the workers that it starts; this process runs without it.
process.env['QUIRE_SOAK_AHEAD'] = aheadPath;
process.env['NODE_OPTIONS'] = `--import ${new URL('./ahead-of-time.ts', import.meta.url).href}`;
const removals: { readonly line: string; readonly atMs: number }[] = [];
const running = await startQuire({
  file,
  roles: ['server', 'broker', 'proxy', 'controller'],
  variables: testVariables,
  clock,
  log: (line) => {
    if (line.includes('"msg":"deleted"')) removals.push({ line, atMs: clock.nowMs() });
    else if (line.includes('"level":50') || line.includes('"level":60')) process.stderr.write(line);
  },
});
const { broker, proxy, controller } = running.addresses;
send({ urls: [broker?.url ?? '', proxy?.url ?? '', controller?.url ?? ''], nowMs: clock.nowMs() });

process.on('message', (request: SoakRequest) => void answer(request));
process.on('disconnect', () => process.exit());

async function answer(request: SoakRequest): Promise<void> {
  if ('jumpMs' in request) {
    await clock.jump(request.jumpMs);
    send({ nowMs: clock.nowMs(), removals: removals.splice(0) });
  } else send({ sample: await takeSample() });
}

async function takeSample(): Promise<ProcessSample> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  const { heapUsed, external } = memoryUsage();
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    timers: clock.sleeperCount,
    handles: getActiveResourcesInfo().length,
    files: (await readdir('/proc/self/fd')).length,
    residentBytes: await residentBytes(process.pid),
  };
}

/** Returns the memory of a process and all that it has started. */
async function residentBytes(pid: number): Promise<number> {
  const [status, children] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'),
  ]).catch(() => ['', ''] as const); // a worker that has ended since
  const own = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const others = await Promise.all(
    children.split(' ').filter(Boolean).map(Number).map(residentBytes),
  );
  return others.reduce((sum, bytes) => sum + bytes, own);
}

function send(message: SoakAnswer): void {
  process.send?.(message);
}
