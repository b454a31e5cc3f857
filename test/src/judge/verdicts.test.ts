import { parseTableConfig, parseTableSchema, validateTableConfig, validateTableSchema } from '@quire/tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../toolchain.ts';
import { PinotJudge } from './pinot-judge.ts';
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
    expect(differing).toMatchSnapshot();
    expect(1 - differing.length / configChanges.length).toBeGreaterThanOrEqual(0.8);
  });

  test('schemas are refused where they are refused there, but for what is listed', async () => {
    const differing = await differences(schemaChanges, async (change) => {
      const schema = changed(soundSchema, change);
      return [(await judge.validateSchema(schema)).valid === true, isSoundSchema(schema)];
    });
    expect(differing).toMatchSnapshot();
    expect(1 - differing.length / schemaChanges.length).toBeGreaterThanOrEqual(0.9);
  });
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
