import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { compileExpression, functionFamilies, parseExpression } from '@quire/tables/expressions';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../testkit/toolchain.ts';
import { argumentFor } from './argument-for.ts';
import { compareCalls, compareRows, type Comparison, expressionsOf } from './function-cases.ts';
import {
  geometries,
  ofQueries,
  proofs,
  reasonOfCall,
  reasonsOfCalls,
  sketches,
} from './differences.ts';
import { PinotJudge, type Signature } from './pinot-judge.ts';
import { isSameValue } from './same-value.ts';

/** The number of compared calls of each signature; the variable changes it. */
const runs = Number(process.env['QUIRE_JUDGE_RUNS'] ?? 20);
const seed = Number(process.env['QUIRE_JUDGE_SEED'] ?? 7);

const isUsual = runs === 20 && seed === 7;
const agreement = join(import.meta.dirname, '../../../packages/tables/AGREEMENT-FUNCTIONS.md');

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
const definitions = functionFamilies.flatMap(({ functions }) => functions);
const known = new Set([
  ...definitions.flatMap(({ names }) => names.map(plain)),
  'and',
  'or',
  'not',
]);

describeWithTool(pinotJudge, "functions, by Pinot's own", (folder) => {
  let judge: PinotJudge;
  let registry: Readonly<Record<string, readonly Signature[]>>;

  beforeAll(async () => {
    judge = new PinotJudge(folder);
    registry = await judge.functions();
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test('no function of Pinot is missing but those that tell of a query, and hashes that are named', () => {
    expect(Object.keys(registry).filter((name) => !known.has(name))).toEqual([
      'brokerid',
      'cid',
      'cityhash128',
      'cityhash32',
      'cityhash64',
      'endtime',
      'queryengine',
      'reqid',
      'stageid',
      'starttime',
      'workerid',
    ]);
  });

  test('no function is ours alone: the engine ingests with each of them, and with as many arguments', () => {
    const ours = definitions.flatMap(({ names, takes, isVariadic }) =>
      names.flatMap((name) => {
        const isThere = (registry[plain(name)] ?? []).some(
          (each) => each.isVariadic || (!isVariadic && each.arguments === takes.length),
        );
        return isThere || geometries.includes(plain(name))
          ? []
          : [`${name} with ${takes.length} arguments`];
      }),
    );
    expect(ours).toEqual([]);
  });

  test('a function that the engine has and we have not is refused with the reason', () => {
    const unexplained = [...sketches, ...geometries, ...Object.keys(registry)].filter((name) => {
      if (known.has(name)) return false;
      const [finding] = parseExpression(`${name}(a)`).findings ?? [];
      return finding?.severity !== 'error' || finding.message.includes('the nearest is');
    });
    expect(unexplained).toEqual([]);
  });

  test('signatures are those of the registry', () => {
    const wrong = Object.entries(registry).flatMap(([name, signatures]) => {
      const ours = definitions.filter(({ names }) => names.some((each) => plain(each) === name));
      return signatures.flatMap((signature) => {
        if (signature.isVariadic || ours.length === 0) return [];
        const found = ours.find(({ takes }) => takes.length === signature.arguments);
        const shown = `${name}(${signature.takes.join(', ')})`;
        if (found === undefined) return [`${shown} is missing`];
        const types = found.takes.map((type) => type.name).join(', ');
        return types === signature.takes.join(', ') && found.takesNull === signature.takesNull
          ? []
          : [`${shown} is (${types})`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('what the documentation shows of each function is what the engine gives', async () => {
    const wrong: string[] = [];
    for (const { example } of definitions) {
      if (example === undefined) continue;
      const { expression } = parseExpression(example);
      const judged = await judge.evaluate(example, [{}]);
      const ours =
        expression === undefined
          ? undefined
          : compileExpression(expression, { clock: systemClock })({});
      const value = judged.refused === undefined ? judged.values[0] : undefined;
      if (judged.refused !== undefined || !isSameValue(value as never, ours)) {
        wrong.push(`${example}: ${JSON.stringify(judged)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('each reason of a difference is proven by a call on which the engine says so', async () => {
    const proven: (string | undefined)[] = [];
    for (const [name, expression, value] of proofs) {
      const [call] = await compareRows(judge, expression, [[value]]);
      if (call !== undefined && !call.agrees) proven.push(reasonOfCall(name, call));
    }
    expect(proven).toEqual(reasonsOfCalls);
  });

  test('nested calls and literals convert values as the engine does', async () => {
    const texts = ['42|7', ' 4.5|1', '00ff', 'x|7', ''];
    const ofTexts = [
      "plus(split(c0, '|'), 1)",
      "gcd(split(c0, '|'), 4)",
      "bytesToHex(split(c0, '|'))",
      "bigDecimalToBytes(split(c0, '|'))",
      "toTimestamp(split(c0, '|'))",
      "repeat('x', split(c0, '|'))",
      "greatest(split(c0, '|'), 2)",
      "upper(split(c0, '|'))",
    ];
    const others = [
      'intDiv(1, -0.0)',
      "concat(-(0.0), '')",
      "bytesToBigDecimal(bigDecimalToBytes(CAST('1.5E+20' AS DECIMAL)))",
    ];
    const compared = await Promise.all([
      ...ofTexts.map((each) =>
        compareRows(
          judge,
          each,
          texts.map((value) => [value]),
        ),
      ),
      ...others.map((each) => compareRows(judge, each, [[]])),
    ]);
    expect(compared.flat().filter(({ agrees }) => !agrees)).toEqual([]);
  });

  test('values of functions agree with the engine', { timeout: 300_000 }, async () => {
    const comparisons: Comparison[] = [];
    const byName = new Map<string, readonly Comparison[]>();
    const differing: string[] = [];
    for (const [name, signatures] of Object.entries(registry)) {
      for (const signature of signatures.filter((each) => isCompared(name, each))) {
        const compared = await compareCalls(judge, name, signature, seed, runs);
        comparisons.push(...compared);
        byName.set(name, [...(byName.get(name) ?? []), ...compared]);
        if (compared.some((call) => isUnexplained(name, call))) {
          differing.push(await shrink(judge, name, signature));
        }
      }
    }
    expect(differing).toEqual([]);
    expect(share(comparisons)).toBeGreaterThanOrEqual(0.99);
    expect(
      share(comparisons.filter(({ bothGiveValues }) => bothGiveValues)),
    ).toBeGreaterThanOrEqual(0.99);
    // The document contains only what every run compares; longer runs print their results.
    const shown = renderAgreement(byName, shareOfNames(Object.keys(registry)));
    if (!isUsual) console.log(shown);
    await expect(isUsual ? shown : readFileSync(agreement, 'utf8')).toMatchFileSnapshot(agreement);
  });

  function isCompared(name: string, { arguments: count, isDeterministic }: Signature): boolean {
    const changes =
      !isDeterministic ||
      /^(?:ago|agomv)$/.test(name) ||
      (count === 0 && /^(?:now|rand)$/.test(name));
    return known.has(name) && count <= 6 && !changes;
  }
});

function isUnexplained(name: string, call: Comparison): boolean {
  return !call.agrees && reasonOfCall(name, call) === undefined;
}

function share(some: readonly Comparison[]): number {
  return some.filter(({ agrees }) => agrees).length / some.length;
}

/** Returns the number of function names of ingestion configs that Quire knows, as sentences. */
function shareOfNames(registered: readonly string[]): string {
  const callable = [...registered.filter((name) => !ofQueries.has(name)), ...geometries];
  const shared = callable.filter((name) => known.has(name));
  const missing = callable.filter((name) => !known.has(name)).map((name) => `\`${name}\``);
  return [
    `An ingestion config may call ${callable.length} names that are not about sketches; ${shared.length} are known here,`,
    `${((shared.length / callable.length) * 100).toFixed(1)} %. Not known are the ${sketches.length} functions of sketches and`,
    `${missing.join(', ')}; a finding says so of each. No function is ours alone. Those of sketches and`,
    `geometries (${geometries.length} of the names) are in pinot-core, which is not among the classes that judge: their values are not compared.`,
  ].join('\n');
}

/** Renders the number of calls of each function that agree, in Markdown. */
function renderAgreement(
  byName: ReadonlyMap<string, readonly Comparison[]>,
  names: string,
): string {
  const all = [...byName.values()].flat();
  const values = all.filter(({ bothGiveValues }) => bothGiveValues);
  const percent = (some: readonly Comparison[]): string => `${(share(some) * 100).toFixed(1)} %`;
  const rows = [...byName]
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => {
      const agreed = some.filter(({ agrees }) => agrees).length;
      const reason = [
        ...new Set(some.flatMap((call) => (call.agrees ? [] : (reasonOfCall(name, call) ?? [])))),
      ].join(' ');
      return `| \`${name}\` | ${some.length} | ${agreed} | ${some.length - agreed} | ${reason} |`;
    });
  return [
    "# Functions of transforms, and the engine's own",
    '',
    'The tests call every function of the registry of Apache Pinot 1.5.1 on drawn values, mostly at edges, and compare values and failures with ours',
    '(`test/src/judge`). They write this file: `npx vitest run test/src/judge/functions.judge.test.ts --update`; more and other calls come with',
    '`QUIRE_JUDGE_RUNS=400 QUIRE_JUDGE_SEED=8`, which print the same table. Names are in small letters and without underscores, as the registry has them.',
    '',
    `Of ${all.length} calls ${percent(all)} agree; of the ${values.length} to which both give a value, ${percent(values)}.`,
    '',
    names,
    '',
    '<!-- prettier-ignore-start -->',
    '',
    '| Function | Calls | Agreed | Differing | Why |',
    '| --- | ---: | ---: | ---: | --- |',
    ...rows,
    '',
    '<!-- prettier-ignore-end -->',
    '',
  ].join('\n');
}

/** The smallest call of a signature on which we and the judge differ, in one line. */
async function shrink(judge: PinotJudge, name: string, signature: Signature): Promise<string> {
  const places = Array.from({ length: signature.arguments }, (_, place) => place);
  const rows = fc.tuple(
    ...places.map((place) =>
      argumentFor(
        name,
        (signature.isVariadic ? undefined : signature.takes[place]) ?? 'Object',
        place,
      ),
    ),
  );
  let last = `${name} of ${signature.arguments} differs, but not on the calls that were drawn to shrink it`;
  await fc.check(
    fc.asyncProperty(rows, async (row) => {
      for (const expression of expressionsOf(name, signature.arguments)) {
        const [compared] = await compareRows(judge, expression, [row], true);
        if (compared === undefined || !isUnexplained(name, compared)) continue;
        last = `${compared.call}: ${JSON.stringify(compared.judged)}, ours ${showValue(compared.ours)}`;
        return false;
      }
      return true;
    }),
    { seed, numRuns: 200 },
  );
  return last;
}

function showValue(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? `${member}n` : member,
  );
}
