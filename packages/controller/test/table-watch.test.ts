import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { TableEngine, TableProblem } from '@quire/core/table-engine';
import { expect, test } from 'vitest';
import { TableWatch } from '../src/table-watch.ts';

test('problems of tables are known while jobs cannot be listed, as where their directory is missing', async () => {
  const problem: TableProblem = {
    kind: 'disk',
    subject: 'engine.tables.data.dir',
    problem: 'Gone.',
  };
  const engine = { listProblems: async () => [problem] } as unknown as TableEngine;
  const unavailable = async () => {
    throw new QuireError('STORE_UNAVAILABLE', 'The list failed.');
  };
  const watch = new TableWatch(engine, new ManualClock(), unavailable);
  expect(await watch.readProblems()).toEqual([problem]);
});
