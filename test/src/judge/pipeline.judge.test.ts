import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../testkit/toolchain.ts';
import { rowDifferences } from './differences.ts';
import { columnCases } from './column-cases.ts';
import { conformingCases, unnestCases } from './nested-cases.ts';
import {
  compareRows,
  type PipelineCase,
  pipelineCases,
  type RowComparison,
} from './pipeline-cases.ts';
import { PinotJudge } from './pinot-judge.ts';
import { changed, circularTransforms } from './verdict-cases.ts';
import { soundTables, wideSchema } from './verdict-tables.ts';

/** The number of compared tables, of some five rows each; the variable changes it. */
const tables = Number(process.env['QUIRE_JUDGE_RUNS'] ?? 20) * 15;
const seed = Number(process.env['QUIRE_JUDGE_SEED'] ?? 7);

const isUsual = tables === 300 && seed === 7;
const agreement = join(import.meta.dirname, '../../../packages/tables/AGREEMENT-ROWS.md');

describeWithTool(pinotJudge, "rows, by Pinot's own pipeline", (folder) => {
  let judge: PinotJudge;

  beforeAll(() => {
    judge = new PinotJudge(folder);
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test('rows of tables of every type, with every step, agree', { timeout: 300_000 }, async () => {
    const comparisons: RowComparison[] = [];
    const byFeature = new Map<string, RowComparison[]>();
    const differing: PipelineCase[] = [];
    const cases = [
      ...fc.sample(pipelineCases, { seed, numRuns: tables }),
      ...[columnCases, unnestCases, conformingCases].flatMap((each) =>
        fc.sample(each, { seed, numRuns: Math.ceil(tables / 3) }),
      ),
    ];
    for (const each of cases) {
      const compared = await compareRows(judge, each);
      comparisons.push(...compared);
      for (const feature of featuresOf(each)) {
        byFeature.set(feature, [...(byFeature.get(feature) ?? []), ...compared]);
      }
      if (compared.some(({ agrees }) => !agrees)) differing.push(each);
    }
    const agreeing = comparisons.filter(({ agrees }) => agrees).length;
    const unexplained = comparisons.filter((each) => !each.agrees && reasonOf(each) === undefined);
    expect(unexplained).toEqual([]);
    const examples = comparisons.filter(({ agrees }) => !agrees).slice(0, 3);
    expect({
      examples,
      tables: agreeing / comparisons.length >= 0.98 ? [] : differing.slice(0, 3),
    }).toEqual({
      examples,
      tables: [],
    });
    if (!isUsual) console.log(renderAgreement(comparisons, byFeature));
    await expect(
      isUsual ? renderAgreement(comparisons, byFeature) : readFileSync(agreement, 'utf8'),
    ).toMatchFileSnapshot(agreement);
  });

  test.each<
    readonly [
      string,
      PipelineCase['config']['ingestionConfig'],
      PipelineCase['schema'],
      PipelineCase['rows'],
    ]
  >([
    [
      'a collection that is unnested and kept',
      { complexTypeConfig: { fieldsToUnnest: ['a'] } },
      {
        schemaName: 't',
        dimensionFieldSpecs: [
          { name: 'a', dataType: 'JSON' },
          { name: 'a.x', dataType: 'INT' },
        ],
      },
      [
        { a: [{ x: 1 }, { x: 2 }] },
        { a: [{ x: 1, y: [{ z: 2 }], m: { k: 3 } }] },
        { a: [] },
        { a: null },
      ],
    ],
    [
      'JSON in the order of maps, without blanks and zeros',
      undefined,
      { schemaName: 't', dimensionFieldSpecs: [{ name: 'a', dataType: 'JSON' }] },
      [
        { a: { zeta: 1, alpha: { y: 2, x: 1 }, mid: null } },
        { a: '{"b": 1.50}' },
        { a: 'abc' },
        { a: 5 },
        { a: true },
      ],
    ],
    [
      'keys and values of a map',
      undefined,
      {
        schemaName: 't',
        dimensionFieldSpecs: [
          { name: 'm__KEYS', dataType: 'STRING', singleValueField: false },
          { name: 'm__VALUES', dataType: 'INT', singleValueField: false },
        ],
      },
      [{ m: { b: 2, a: 1 } }, { m: null }],
    ],
    [
      'a default as defaultNullValueString, which is not read',
      undefined,
      {
        schemaName: 't',
        dimensionFieldSpecs: [
          { name: 'a', dataType: 'STRING', ...unread },
          { name: 'b', dataType: 'INT', defaultNullValue: 7, ...unread },
        ],
      },
      [{}, { a: 'x', b: 1 }],
    ],
    [
      'prefixes that are renamed to names that are taken',
      { complexTypeConfig: { prefixesToRename: { 'a.': '' } }, continueOnError: true },
      {
        schemaName: 't',
        dimensionFieldSpecs: [
          { name: 'x', dataType: 'INT' },
          { name: 'y', dataType: 'INT' },
        ],
      },
      [{ a: { x: 1, y: 2 } }, { a: { x: 1 }, x: 5 }],
    ],
  ])("rows, by Pinot's own pipeline: %s", async (_name, ingestionConfig, schema, rows) => {
    const config = { tableName: 't_OFFLINE', ...offline, ingestionConfig };
    const compared = await compareRows(judge, {
      config: config as PipelineCase['config'],
      schema,
      rows,
    });
    expect(compared.filter(({ agrees }) => !agrees)).toEqual([]);
  });

  test('each reason why a row may differ holds of a row of which the pipeline says so', async () => {
    const list = { name: 'a', dataType: 'STRING', singleValueField: false };
    const text = { name: 'b', dataType: 'STRING', transformFunction: 'CAST(a AS STRING)' };
    const enrichment = {
      enricherType: 'generateColumn',
      properties: { fieldToFunctionMap: { n: 'upper(a)', b: 'n' } },
      preComplexTypeTransform: false,
    };
    const reasons = await Promise.all(
      (
        [
          [[{ ...list, maxLength: 3, defaultNullValue: 'abcdef' }], [{}, {}]],
          [
            [
              { ...list, dataType: 'BYTES' },
              { name: 'b', dataType: 'BYTES' },
            ],
            [{ a: [{ $bytes: '0aff' }] }],
            { enrichmentConfigs: [enrichment], continueOnError: true },
          ],
          [[{ name: 'a', dataType: 'DOUBLE' }, text], [{ a: 8.41e21 }]],
          [[{ name: 'a', dataType: 'TIMESTAMP' }], [{ a: 8_640_000_000_000_001 }]],
        ] as const
      ).map(async ([dimensionFieldSpecs, rows, ingestionConfig]) => {
        const config = { tableName: 't_OFFLINE', ...offline, ingestionConfig };
        const compared = await compareRows(judge, {
          config: config as PipelineCase['config'],
          schema: { schemaName: 't', dimensionFieldSpecs },
          rows: rows as PipelineCase['rows'],
        });
        return compared.filter(({ agrees }) => !agrees).map(reasonOf);
      }),
    );
    expect(reasons).toEqual(rowDifferences.map(({ reason }) => [reason]));
  });

  test('numbers in texts are those of Java 17, also where the length of the column cuts them, and no others', async () => {
    const wide = { name: 'b', dataType: 'STRING', transformFunction: 'CAST(a AS STRING)' };
    const compareAt = (maxLength: number): Promise<readonly RowComparison[]> =>
      compareRows(judge, {
        config: { tableName: 't_OFFLINE', ...offline } as PipelineCase['config'],
        schema: {
          schemaName: 't',
          dimensionFieldSpecs: [
            { name: 'a', dataType: 'DOUBLE' },
            { ...wide, maxLength },
          ],
        },
        rows: [1e-323, -1e-323, 8.41e21, 7e-323, 2e-5, 4.9e-324, 1.5].map((a) => ({ a })),
      });
    const differing = await Promise.all([1, 2, 3, 5, 8, 512].map(compareAt));
    const some = differing.flat().filter(({ agrees }) => !agrees);
    expect(some.map(({ row }) => row['a'])).toEqual(
      expect.arrayContaining([8.41e21, 1e-323, -1e-323]),
    );
    expect(some.filter((each) => reasonOf(each) === undefined)).toEqual([]);
    // A digit other than the one that Java 17 writes is not explained.
    const others = some.map((each) => ({
      ...each,
      judged: JSON.parse(JSON.stringify(each.judged).replaceAll(/"(-?)[18]/g, '"$15')),
    }));
    expect(others.filter((each) => reasonOf(each) !== undefined)).toEqual([]);
  });

  test.each(circularTransforms)(
    'no pipeline is made of transforms in a circle: %#',
    async (...columns) => {
      const config = changed(soundTables['offline'] ?? {}, [
        'ingestionConfig.transformConfigs',
        columns.map(([columnName, transformFunction]) => ({ columnName, transformFunction })),
      ]);
      const { refused } = await judge.pipeline(config, wideSchema, [{ id: 1 }]);
      expect(refused).toMatch(/cycl/i);
    },
  );
});

/** A member of columns that nothing reads. */
const unread = { defaultNullValueString: '8' };

const offline = {
  tableType: 'OFFLINE',
  segmentsConfig: { replication: '1' },
  tenants: {},
  tableIndexConfig: {},
};

/** Returns the reason why a row differs, if it is known. */
function reasonOf(comparison: RowComparison): string | undefined {
  return rowDifferences.find(({ explains }) => explains(comparison))?.reason;
}

/** The steps that rows of a table go through, and the types of its columns. */
function featuresOf({ config, schema }: PipelineCase): ReadonlySet<string> {
  const { ingestionConfig } = config;
  const columns = [
    ...(schema.dimensionFieldSpecs ?? []),
    ...(schema.metricFieldSpecs ?? []),
    ...(schema.complexFieldSpecs ?? []),
  ];
  return new Set([
    ...(schema.dateTimeFieldSpecs ?? []).map(
      ({ dataType, format = '' }) => `times as ${dataType}, \`${format.replaceAll('|', '\\|')}\``,
    ),
    ...Object.keys(ingestionConfig ?? {}).map((step) => `step \`${step}\``),
    ...columns.map(
      ({ dataType, singleValueField }) =>
        `column ${dataType}${singleValueField === false ? ' with lists' : ''}`,
    ),
    ...columns.flatMap(({ maxLengthExceedStrategy: strategy }) =>
      strategy === undefined ? [] : [`longer values: ${strategy}`],
    ),
    ...columns.flatMap(({ defaultNullValue }) =>
      defaultNullValue === undefined ? [] : ['a default of its own'],
    ),
  ]);
}

/** Renders the number of rows that agree, of tables with each step and type, in Markdown. */
function renderAgreement(
  comparisons: readonly RowComparison[],
  byFeature: ReadonlyMap<string, readonly RowComparison[]>,
): string {
  const rows = [...byFeature]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([feature, some]) => {
      const agreed = some.filter(({ agrees }) => agrees).length;
      return `| ${feature} | ${some.length} | ${agreed} | ${some.length - agreed} |`;
    });
  const differing = comparisons
    .filter(({ agrees }) => !agrees)
    .map((each) => reasonOf(each) ?? 'Not explained yet.');
  const reasons = [...new Set(differing)].map(
    (reason) => `- ${differing.filter((each) => each === reason).length}: ${reason}`,
  );
  return [
    "# Rows, and those of the engine's own pipeline",
    '',
    'The tests send rows of drawn tables through the pipeline of Apache Pinot 1.5.1 and through ours, and compare values, nulls, marks and',
    'failures (`test/src/judge`). They write this file: `npx vitest run test/src/judge/pipeline.judge.test.ts --update`; more and other rows',
    'come with `QUIRE_JUDGE_RUNS=200 QUIRE_JUDGE_SEED=8`, which print the same table. A row counts for every step and type that its table has.',
    '',
    `${comparisons.filter(({ agrees }) => agrees).length} of ${comparisons.length} rows agree.${reasons.length === 0 ? '' : ' The others differ because of this:'}`,
    ...(reasons.length === 0 ? [] : ['', ...reasons]),
    '',
    '<!-- prettier-ignore-start -->',
    '',
    '| Tables with | Rows | Agreed | Differing |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
    '',
    '<!-- prettier-ignore-end -->',
    '',
  ].join('\n');
}
