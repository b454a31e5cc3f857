import { describe, expect, test } from 'vitest';
import { column, fieldsOf, run } from '../run.ts';

const transforms = (...pairs: readonly (readonly [string, string])[]) => {
  return {
    transformConfigs: pairs.map(([columnName, transformFunction]) => ({
      columnName,
      transformFunction,
    })),
  };
};

describe('transforms', () => {
  test('transforms run in the order in which they need each other', async () => {
    const ingestion = transforms(['c', 'b + 1'], ['b', 'a + 1']);
    expect(await fieldsOf([{ a: 1 }], { ingestion })).toEqual([{ a: 1, b: 2, c: 3 }]);
  });

  test('transforms fill a column only where it has no value', async () => {
    const ingestion = transforms(['b', 'a + 1']);
    expect(
      await fieldsOf(
        [
          { a: 1, b: 9 },
          { a: 1, b: null },
        ],
        { ingestion },
      ),
    ).toEqual([
      { a: 1, b: 9 },
      { a: 1, b: 2 },
    ]);
  });

  test('transforms of the schema run as well, where the config has none', async () => {
    const dimensions = [column('a', 'INT'), column('b', 'INT', { transformFunction: 'a * 10' })];
    expect(await fieldsOf([{ a: 1 }], { dimensions })).toEqual([{ a: 1, b: 10 }]);
  });

  test('transforms take keys and values of a map for columns that are named so, in one order', async () => {
    const list = { singleValueField: false };
    const dimensions = [column('tags__KEYS', 'STRING', list), column('tags__VALUES', 'INT', list)];
    const rows = [
      { tags: { b: 2, a: 1 } },
      { tags: { b: 2, a: 1 }, tags__KEYS: ['given', 'here'] },
    ];
    expect(await fieldsOf(rows, { dimensions })).toEqual([
      { tags__KEYS: ['a', 'b'], tags__VALUES: [1, 2] },
      { tags__KEYS: ['given', 'here'], tags__VALUES: [1, 2] },
    ]);
    const ingestion = transforms(['tags__KEYS', "array('x', 'y')"]);
    expect(
      await fieldsOf([{ tags: { a: 1 } }], { dimensions: dimensions.slice(0, 1), ingestion }),
    ).toEqual([{ tags__KEYS: ['x', 'y'] }]);
  });

  test('transforms make columns that others read but the table does not keep', async () => {
    const ingestion = transforms(['between_', 'upper(a)'], ['c', 'concat(between_, between_)']);
    expect(await fieldsOf([{ a: 'x' }], { ingestion, dimensions: [column('c')] })).toEqual([
      { c: 'XX' },
    ]);
  });

  test('transforms that fail drop the row, or leave null and an incomplete row', async () => {
    const ingestion = transforms(['b', "a + 'x'"], ['c', 'CAST(a AS INT)']);
    const rows = [{ a: 1 }, { a: 'y' }];
    const bad = transforms(['c', 'CAST(a AS INT)']);
    expect((await run(rows, { ingestion: bad })).dropped).toEqual([
      {
        sourceIndex: 1,
        step: 'transform',
        kind: 'failed',
        column: 'c',
        reason: '‘y’ is not a number.',
      },
    ]);
    const kept = await run(rows, { ingestion: { ...ingestion, continueOnError: true } });
    expect(kept.findings.map(({ code }) => code)).toEqual(['EXPRESSION_ARGUMENT']);
    expect(kept.rows.map(({ fields, isIncomplete }) => [fields, isIncomplete])).toEqual([
      [{ a: 1, b: null, c: 1 }, true],
      [{ a: 'y', b: null, c: null }, true],
    ]);
  });
});

describe('circles of transforms', () => {
  test('circles of transforms are findings, and what does not depend on them still runs', async () => {
    const ingestion = transforms(
      ['a', 'b + 1'],
      ['b', 'c + 1'],
      ['c', 'a + 1'],
      ['d', 'a'],
      ['e', 'x'],
      ['f', 'f + 1'],
    );
    const { findings, rows } = await run([{ x: 5 }], { ingestion });
    expect(findings.map(({ path, code, message }) => [path, code, message])).toEqual([
      [
        '/ingestionConfig/transformConfigs/0',
        'PIPELINE_TRANSFORM_CYCLE',
        'Transforms depend on each other in a cycle: a reads b reads c reads a; they are ignored.',
      ],
      [
        '/ingestionConfig/transformConfigs/5',
        'PIPELINE_TRANSFORM_CYCLE',
        'The transform of f reads f itself; it is ignored.',
      ],
      [
        '/ingestionConfig/transformConfigs/3',
        'PIPELINE_TRANSFORM_BLOCKED',
        'The transform of d reads a column whose transform is ignored, so it is ignored as well.',
      ],
    ]);
    expect(rows.map(({ fields }) => fields)).toEqual([{ x: 5, e: 5 }]);
  });

  test('a second transform of a column is a warning', async () => {
    const { findings, rows } = await run([{ x: 5 }], {
      ingestion: transforms(['a', 'x'], ['a', 'x + 1']),
    });
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['PIPELINE_DUPLICATE_TRANSFORM', 'warning'],
    ]);
    expect(rows.map(({ fields }) => fields)).toEqual([{ x: 5, a: 5 }]);
  });
});
