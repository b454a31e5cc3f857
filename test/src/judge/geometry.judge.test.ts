import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge, pinotServer } from '../testkit/toolchain.ts';
import type { Given } from './argument-pools.ts';
import { compareRows } from './function-cases.ts';
import { PinotJudge } from './pinot-judge.ts';

const point = '3ff00000000000004000000000000000';
const coordinates = (count: number): string => '3ff0000000000000'.repeat(count * 2);
const line = `0000000100000002${'00000000'}${coordinates(2)}`;
const bytes = (hex: string): Given => ({ $bytes: hex });

/** Values of the third argument of a point. */
const spheres: readonly Given[] = [
  0,
  1,
  2,
  1.5,
  0.5,
  '1',
  '2',
  'true',
  'TRUE',
  'x',
  null,
  [1],
  { a: 1 },
  { $boolean: true },
  { $boolean: false },
  { $double: 'NaN' },
  { $decimal: '1.5' },
  { $long: '4294967297' },
  { $timestamp: '1' },
  { $bytes: '01' },
];

const geometries: readonly Given[] = [
  `00${point}`,
  `80${point}`,
  `00${point}ff`,
  `80${point}ffff`,
  '003ff0',
  '',
  '06',
  '86',
  '07',
  'ff',
  `0100000001${coordinates(1)}`,
  `8100000002${coordinates(1)}`,
  '0100000000',
  '81ffffffff',
  `02${line}`,
  `82${line}01`,
  '82000000010000000200000000',
  '820000000000000000',
].map(bytes);

describeWithTool(pinotServer, "geometries, by Pinot's own", (pinot) => {
  let judge: PinotJudge;

  beforeAll(() => {
    // These functions are in pinot-core, which is not among the other classes of the judge.
    judge = new PinotJudge(pinotJudge.find(process.env) ?? '', 'PinotJudge', pinot);
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test.each<readonly [string, readonly (readonly Given[])[]]>([
    ['stPoint(1.5, -2, c0)', spheres.map((each) => [each])],
    [
      'stPoint(c0, c1)',
      [
        [1, 2],
        ['1', '-2.5'],
        ['x', 1],
        [null, 1],
        [{ $double: 'NaN' }, 1],
      ],
    ],
    ['toGeometry(c0)', geometries.map((each) => [each])],
    ['toSphericalGeography(c0)', geometries.map((each) => [each])],
    ['stAsText(c0)', geometries.slice(0, 6).map((each) => [each])],
    ['stAsText(stPoint(c0, 2))', [[1e21], [1e-7], [{ $double: 'Infinity' }], [123_456_789.125]]],
  ])('%s', async (expression, rows) => {
    const compared = await compareRows(judge, expression, rows);
    expect(compared.filter(({ agrees }) => !agrees)).toEqual([]);
  });
});
