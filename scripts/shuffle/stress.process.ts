/**
 * Burns processor time (`cpu`), or writes a file of 8 MiB and flushes it (`disk <path>`),
 * repeatedly until the process that started it has ended.
 */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

const [kind, path = ''] = process.argv.slice(2);
const parent = process.ppid;
const bytes = Buffer.alloc(1024 * 1024, 7);

const rounds: Readonly<Record<string, () => void>> = {
  cpu: () => void createHash('sha256').update(bytes).digest(),
  disk: () => {
    const file = openSync(path, 'w');
    for (let part = 0; part < 8; part += 1) writeSync(file, bytes);
    fsyncSync(file);
    closeSync(file);
  },
};
const round = rounds[kind ?? ''];
if (round === undefined) throw new Error(`There is no load of the kind ${kind}.`);
while (process.ppid === parent) round();
