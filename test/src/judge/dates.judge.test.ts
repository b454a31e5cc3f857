import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithTool, pinotJudge } from '../testkit/toolchain.ts';
import { type Comparison, compareRows, isFailure } from './function-cases.ts';
import { PinotJudge } from './pinot-judge.ts';

/** The number of patterns; the variable multiplies it. */
const patternCount = Number(process.env['QUIRE_JUDGE_RUNS'] ?? 20) * 20;
const seed = Number(process.env['QUIRE_JUDGE_SEED'] ?? 7);

/** A winter and a summer in which no zone moved its standard time. */
const instants = [Date.UTC(2022, 0, 15), Date.UTC(2022, 6, 3, 9, 46)];

/** Names that are read as zones somewhere, or look like zones. */
const oddZones = (
  'Z z UT GMT gmt utc Utc europe/berlin est5edt Etc/gmt-5 prc +1 +01 +1:00 +01:00 +0100 -05:30 +01:00:00 +14:00 +14:30 +18:00 +19:00 +23:59 ' +
  '+24:00 +00:00 -00:00 GMT+1 GMT+01 GMT+01:00 GMT+0100 GMT+1:30 GMT+24 GMT-0 UTC+1 UTC+01:00 UTC+14 UTC+15 UT+1 Etc/GMT+1 Etc/GMT-14 EST MST HST ' +
  'ROC EST5EDT PST8PDT CEST EDT BST IST JST PST CST ACT AET AGT ART AST BET CAT CNT CTT EAT ECT IET MIT NET NST PLT PNT PRT SST VST MSK ' +
  'SystemV/EST5 America/Coyhaique Nowhere/X Europe/berlin'
).split(' ');

/** Every function that takes the name of a zone, or writes or reads one. */
const zoneCalls: Readonly<Record<string, (zone: string) => string>> = {
  'toDateTime with z': (zone) => `toDateTime(c0, 'z', '${zone}')`,
  'toDateTime with zzzz': (zone) => `toDateTime(c0, 'zzzz', '${zone}')`,
  'toDateTime with ZZZ': (zone) => `toDateTime(c0, 'ZZZ', '${zone}')`,
  'toDateTime with Z': (zone) => `toDateTime(c0, 'yyyy-MM-dd HH:mm Z', '${zone}')`,
  'fromDateTime in a zone': (zone) =>
    `fromDateTime('2024-07-01 10:00', 'yyyy-MM-dd HH:mm', '${zone}')`,
  'fromDateTime of ZZZ': (zone) =>
    `fromDateTime('2024-07-01 10:00 ${zone}', 'yyyy-MM-dd HH:mm ZZZ')`,
  'fromDateTime of z': (zone) => `fromDateTime('2024-07-01 10:00 ${zone}', 'yyyy-MM-dd HH:mm z')`,
  hour: (zone) => `hour(c0, '${zone}')`,
  dateTrunc: (zone) => `dateTrunc('day', c0, 'MILLISECONDS', '${zone}')`,
  'dateTimeConvert with tz()': (zone) =>
    `dateTimeConvert(c0, '1:MILLISECONDS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd HH tz(${zone})', '1:MILLISECONDS')`,
  'dateTimeConvert with |': (zone) =>
    `dateTimeConvert(c0, 'EPOCH|MILLISECONDS', 'SIMPLE_DATE_FORMAT|yyyyMMdd HH|${zone}', '1:MILLISECONDS')`,
  'dateTimeConvert with buckets': (zone) =>
    `dateTimeConvert(c0, '1:MILLISECONDS:EPOCH', '1:MILLISECONDS:EPOCH', '1:DAYS', '${zone}')`,
  timezoneHour: (zone) => `timezoneHour('${zone}', c0)`,
};

const letters = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      ...'yyyy yy y MM M MMM MMMM dd d HH H hh h KK K kk k mm m ss s SSS S SS SSSSSS E EEE EEEE e a D DDD w ww xxxx xx Z ZZ G C YYYY'.split(
        ' ',
      ),
    ),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom(...'z zzzz ZZZ Q YY GG yyyyy ee MMMMM u L X'.split(' ')),
    weight: 1,
  },
);
const separators = fc.constantFrom('', ' ', '-', '/', ':', '.', "'T'", ', ', "''", " 'at' ");
const patterns = fc
  .array(fc.tuple(letters, separators), { minLength: 1, maxLength: 6 })
  .map((parts) =>
    parts
      .flat()
      .join('')
      .replace(/[ ,:./-]+$/, ''),
  );

/** Changes to a text before it is parsed, so that some do not fit their pattern. */
const changes = fc.oneof(
  { arbitrary: fc.constant((text: string) => text), weight: 7 },
  {
    arbitrary: fc
      .tuple(fc.nat(30), fc.nat(1), fc.constantFrom('0', 'x', ' ', '9', 'Z', 'PM', 'Mon', ''))
      .map(([place, removed, inserted]) => (text: string) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at + removed);
      }),
    weight: 2,
  },
  { arbitrary: fc.constant((text: string) => text.toUpperCase()), weight: 1 },
);
const readings = fc.record({
  pattern: patterns,
  epochMs: fc.oneof(
    fc.integer({ min: -2_208_988_800_000, max: 4_102_444_800_000 }),
    fc.constantFrom(0, 1_709_209_845_678, 951_782_399_999, 253_402_300_799_999),
  ),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', '+05:30'),
  change: changes,
});

describeWithTool(pinotJudge, "dates, by Pinot's own", (folder) => {
  let judge: PinotJudge;

  beforeAll(() => {
    judge = new PinotJudge(folder);
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  const compareOne = async (expression: string, value: number | string): Promise<Comparison> => {
    const [compared] = await compareRows(judge, expression, [[value]]);
    if (compared === undefined) throw new Error(`${expression} was not compared`);
    return compared;
  };

  test.each(Object.entries(zoneCalls))(
    '%s understands all zones of the runtime, and odd ones, as the engine does',
    async (_name, call) => {
      const zones = [...oddZones, ...Intl.supportedValuesOf('timeZone')];
      const compared = await Promise.all(
        zones.flatMap((zone) => instants.map((instant) => compareOne(call(zone), instant))),
      );
      expect(compared.filter(({ agrees }) => !agrees)).toEqual([]);
    },
  );

  test('in the year in which a zone moved its standard time, its name may be that of the other half of the year', async () => {
    const compared = await compareOne(
      "toDateTime(c0, 'z', 'America/Scoresbysund')",
      Date.UTC(2024, 6, 3),
    );
    expect(compared).toMatchObject({ judged: 'EGST', ours: 'EGT' });
  });

  test('drawn patterns write and read as the engine does, but for 5 in 1,000 whose fields contradict each other', async () => {
    const compared: Comparison[] = [];
    for (const each of fc.sample(readings, { seed, numRuns: patternCount })) {
      const pattern = each.pattern.replaceAll("'", "''");
      const written = await compareOne(
        `toDateTime(c0, '${pattern}', '${each.zone}')`,
        each.epochMs,
      );
      compared.push(written);
      if (isFailure(written.judged)) continue;
      const text = each.change(String(written.judged));
      compared.push(await compareOne(`fromDateTime(c0, '${pattern}', '${each.zone}')`, text));
    }
    const differing = compared.filter(({ agrees }) => !agrees);
    console.log(`${compared.length - differing.length} of ${compared.length} dates agree`);
    const isEnough = differing.length <= compared.length * 0.005;
    expect(isEnough ? [] : differing.slice(0, 10)).toEqual([]);
  });
});
