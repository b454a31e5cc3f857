/**
 * Imported first by the processes that a soaked server starts: their wall clock is ahead of the
 * system's by the same offset as the server's, which it writes to a file of eight bytes.
 */
import { openSync, readSync } from 'node:fs';

const ahead = new Float64Array(1);
const bytes = new Uint8Array(ahead.buffer);
const file = openSync(process.env['QUIRE_SOAK_AHEAD'] ?? '', 'r');
const now = Date.now;
Date.now = () => {
  readSync(file, bytes, 0, bytes.length, 0);
  return now() + (ahead[0] ?? 0);
};
