import { parseTableConfig, parseTableSchema, validateTableConfig, validateTableSchema } from '@quire/tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../testkit/toolchain.ts';
import { PinotJudge } from './pinot-judge.ts';
import { differences as functionDifferences } from './differences.ts';
import { configDifferences, schemaDifferences } from './verdict-differences.ts';
import { changed, type Change, configChanges, schemaChanges, soundConfig, soundSchema } from './verdict-cases.ts';

interface Severe {
  readonly severity: string;
}

describeWithTool(pinotJudge, "verdicts, by Pinot's own checks", (folder) => {
  let judge: PinotJudge;

  beforeAll(() => {
    judge = new PinotJudge(folder);
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test('a sound table is valid to both', async () => {
    expect(await judge.validateTable(soundConfig, soundSchema)).toEqual({ valid: true });
    expect([isSoundConfig(soundConfig), isSoundSchema(soundSchema)]).toEqual([true, true]);
  });

  test('configs are refused where they are refused there, but for what is listed', async () => {
    const differing = await differences(configChanges, async (change) => {
      const config = changed(soundConfig, change);
      return [(await judge.validateTable(config, soundSchema)).valid === true, isSoundConfig(config)];
    });
    expect(differing).toEqual(configDifferences.map(({ change }) => change));
  });

  test('schemas are refused where they are refused there, but for what is listed', async () => {
    const differing = await differences(schemaChanges, async (change) => {
      const schema = changed(soundSchema, change);
      return [(await judge.validateSchema(schema)).valid === true, isSoundSchema(schema)];
    });
    expect(differing).toEqual(schemaDifferences.map(({ change }) => change));
  });
});

test('the document for readers tells all differences', async () => {
  const parts = [
    ['configs', configChanges, configDifferences],
    ['schemas', schemaChanges, schemaDifferences],
  ] as const;
  const sections = parts.map(([what, changes, listed]) => {
    const count = `${changes.length - listed.length} of ${changes.length} changes of ${what} have the same verdict.`;
    const rows = listed.map(({ change, reason }) => {
      const [, verdict = '', member = ''] = /^(\w+): (.*)$/.exec(change) ?? [];
      return `- ${verdict} on \`${member}\`: ${reason}`;
    });
    return [`${count} We are`, '', ...rows, ''].join('\n');
  });
  const functions = functionDifferences.map(({ functions: names, reason }) => `- \`${names.source}\`: ${reason}`);
  const text = [
    "# Where the rules differ from the engine's own",
    '',
    'The tests ask the classes of Apache Pinot 1.5.1 for their verdicts on changes of a sound table (`test/src/judge`), and fail on every',
    'difference that does not stand here. They write this file: `npx vitest run test/src/judge/verdicts.judge.test.ts -u`.',
    '',
    '## Verdicts on configs and schemas',
    '',
    ...sections,
    '## Functions of transforms',
    '',
    'On the calls that the tests make, all functions but these give the values of the engine. By patterns of their names, in small letters and without underscores:',
    '',
    ...functions,
    '',
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../../../packages/tables/AGREEMENT.md');
});

/** The changes on which we and the judge differ, and how. */
async function differences(
  changes: readonly Change[],
  verdicts: (change: Change) => Promise<readonly [boolean, boolean]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const change of changes) {
    const [judged, ours] = await verdicts(change);
    if (judged !== ours) found.push(`${judged ? 'stricter' : 'laxer'}: ${change[0]} = ${JSON.stringify(change[1]) ?? 'missing'}`);
  }
  return found;
}

function isSoundConfig(document: object): boolean {
  const { config, findings } = parseTableConfig(document);
  const { schema } = parseTableSchema(soundSchema);
  return [...findings, ...validateTableConfig(config, { schema })].every(isNoError);
}

function isSoundSchema(document: object): boolean {
  const { schema, findings } = parseTableSchema(document);
  return [...findings, ...validateTableSchema(schema)].every(isNoError);
}

function isNoError({ severity }: Severe): boolean {
  return severity !== 'error';
}
