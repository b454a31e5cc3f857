import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../testkit/toolchain.ts';
import { PinotJudge } from './pinot-judge.ts';
import {
  agrees,
  compareVerdicts,
  completedConfig,
  completedSchema,
  configErrors,
  renderRuleAgreement,
  renderSectionAgreement,
  schemaErrors,
  showComparison,
  type VerdictComparison,
} from './verdict-agreement.ts';
import { soundTables, wideSchema } from './verdict-tables.ts';
import { configDifferences, schemaDifferences } from './verdict-differences.ts';
import {
  changed,
  type Change,
  configChanges,
  schemaChanges,
  soundConfig,
  soundSchema,
} from './verdict-cases.ts';

/** The number of configs; the variable multiplies it. */
const runs = Number(process.env['QUIRE_JUDGE_RUNS'] ?? 20) * 10;
const seed = Number(process.env['QUIRE_JUDGE_SEED'] ?? 7);
/** The document contains only what every run compares. */
const agreement = join(import.meta.dirname, '../../../packages/tables/AGREEMENT.md');
const isUsual = runs === 200 && seed === 7;

describeWithTool(pinotJudge, "verdicts, by Pinot's own checks", (folder) => {
  let judge: PinotJudge;

  beforeAll(() => {
    judge = new PinotJudge(folder);
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test('sound tables are valid to both, also with all their members', async () => {
    const tables = [
      [soundConfig, soundSchema],
      ...Object.values(soundTables).map((table) => [table, wideSchema] as const),
    ] as const;
    for (const [config, schema] of tables) {
      expect(await judge.validateTable(config, schema)).toEqual({ valid: true });
      expect(await judge.validateSchema(schema)).toEqual({ valid: true });
      expect([...configErrors(config, schema), ...schemaErrors(schema)]).toEqual([]);
      expect(await judge.validateTable(completedConfig(config), completedSchema(schema))).toEqual({
        valid: true,
      });
    }
  });

  test('listed changes of configs are refused where they are refused there, but for what is listed', async () => {
    const differing = await differences(configChanges, async (change) => {
      const config = changed(soundConfig, change);
      return [
        (await judge.validateTable(config, soundSchema)).valid === true,
        configErrors(config, soundSchema).length === 0,
      ];
    });
    expect(differing).toEqual(configDifferences.map(({ change }) => change));
  });

  test('listed changes of schemas are refused where they are refused there, but for what is listed', async () => {
    const differing = await differences(schemaChanges, async (change) => {
      const schema = changed(soundSchema, change);
      return [
        (await judge.validateSchema(schema)).valid === true,
        schemaErrors(schema).length === 0,
      ];
    });
    expect(differing).toEqual(schemaDifferences.map(({ change }) => change));
  });

  test(
    'drawn configs and schemas are refused where they are refused there, and taken with all their members where they are taken',
    { timeout: 600_000 },
    async () => {
      const comparisons = await compareVerdicts(judge, seed, runs);
      const differing = comparisons.filter((each) => !agrees(each));
      expect(
        comparisons.filter(({ completed }) => completed !== undefined).map(showComparison),
      ).toEqual([]);
      const share = 1 - differing.length / comparisons.length;
      expect({
        share: share >= 0.97,
        differing: share >= 0.97 ? [] : differing.slice(0, 20).map(showComparison),
      }).toEqual({
        share: true,
        differing: [],
      });
      if (!isUsual) {
        console.log(`${renderAgreement(comparisons)}\n${differing.map(showComparison).join('\n')}`);
      }
      await expect(
        isUsual ? renderAgreement(comparisons) : readFileSync(agreement, 'utf8'),
      ).toMatchFileSnapshot(agreement);
    },
  );
});

function renderAgreement(comparisons: readonly VerdictComparison[]): string {
  const shares = (['config', 'schema'] as const).map((kind) => {
    const some = comparisons.filter((each) => each.kind === kind);
    return `${some.filter(agrees).length} of ${some.length} drawn ${kind}s have the same verdict.`;
  });
  const parts = [
    ['configs', configChanges, configDifferences],
    ['schemas', schemaChanges, schemaDifferences],
  ] as const;
  const sections = parts.map(([what, changes, listed]) => {
    const count = `${changes.length - listed.length} of ${changes.length} listed changes of ${what} have the same verdict. We are`;
    const rows = listed.map(({ change, reason }) => {
      const [, verdict = '', member = ''] = /^(\w+): (.*)$/.exec(change) ?? [];
      return `- ${verdict} on \`${member}\`: ${reason}`;
    });
    return [count, '', ...rows, ''].join('\n');
  });
  return [
    "# Verdicts on configs and schemas, and the engine's own",
    '',
    'The tests ask the classes of Apache Pinot 1.5.1 for their verdicts (`test/src/judge`): on listed changes of a sound table, and on',
    'drawn ones of tables of every kind. They write this file: `npx vitest run test/src/judge/verdicts.judge.test.ts --update`; more cases and',
    'others come with `QUIRE_JUDGE_RUNS=200 QUIRE_JUDGE_SEED=8`, which print the same tables. Tasks and the name of the schema are judged by the',
    "check of a controller ([AGREEMENT-TASKS.md](AGREEMENT-TASKS.md)); rules about tenants and the other half of a hybrid table are a cluster's, which",
    'neither is.',
    '',
    '<!-- prettier-ignore-start -->',
    '',
    '## Listed changes',
    '',
    ...sections,
    '## Drawn changes',
    '',
    ...shares,
    '',
    renderSectionAgreement(comparisons),
    '',
    '## Rules that were broken by them',
    '',
    renderRuleAgreement(comparisons),
    '',
    '<!-- prettier-ignore-end -->',
    '',
  ].join('\n');
}

/** The changes on which we and the judge differ, and how. */
async function differences(
  changes: readonly Change[],
  verdicts: (change: Change) => Promise<readonly [boolean, boolean]>,
): Promise<readonly string[]> {
  const all = await Promise.all(
    changes.map(async (change) => ({ change, verdict: await verdicts(change) })),
  );
  return all.flatMap(({ change: [path, value], verdict: [judged, ours] }) =>
    judged === ours
      ? []
      : [`${judged ? 'stricter' : 'laxer'}: ${path} = ${JSON.stringify(value) ?? 'missing'}`],
  );
}
