import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test.each(['America/New_York', 'Asia/Kolkata'])(
  'queries show times with a zone in UTC, in a server whose zone is %s',
  async (TZ) => {
    const script = join(import.meta.dirname, 'time-zone.process.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@quire/source', script],
      { env: { ...process.env, TZ } },
    );
    expect(JSON.parse(stdout)).toEqual([
      ['0', '2020-01-01 00:00:00+00', '2020-01-01', '2020-06-01 00:00:00+00'],
    ]);
  },
);
