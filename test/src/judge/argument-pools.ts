import fc from 'fast-check';

/**
 * A value in a row for the judge; types that JSON does not have are objects of one member that
 * names them.
 */
export type Given =
  | string
  | number
  | boolean
  | null
  | readonly Given[]
  | { readonly [type: string]: Given };

const shortText = fc.string({
  maxLength: 12,
  unit: fc.constantFrom(...Array.from('abcXYZ012 ,.-_äß€😀')),
});

const texts = one(
  '',
  'Hello World',
  'abc',
  ' pad ',
  'äöü',
  '😀x',
  '1',
  '-2',
  'true',
  'a,b,,c',
  ',a,',
  '\ttab\n',
  'Zebra',
  'null',
  "it's",
  'aXbXc',
);
const wholes = one(
  0,
  1,
  -1,
  2,
  3,
  5,
  7,
  10,
  31,
  64,
  100,
  -7,
  255,
  1_000,
  65_536,
  2_147_483_647,
  -2_147_483_648,
);
const smallWholes = one(0, 1, 2, 3, 4, 5, -1, -2, 7, 12, 20);
const longs = one(
  4_294_967_296,
  1_704_067_200_000,
  1_729_990_800_123,
  -86_400_001,
  9_007_199_254_740_991,
);
const fractions = one(0.5, -2.5, 2.5, 1.1, 3.999, -0.1, 1e-7, 1e21, 123_456.789, 100.5);
const specials = one(
  { $double: 'NaN' },
  { $double: 'Infinity' },
  { $double: '-Infinity' },
  { $double: '-0.0' },
  { $double: '2.0' },
);
const numberTexts = one('42', '-1', '42.9', '1e3', ' 5 ', '007', '+3', 'x', '');
const bytes: fc.Arbitrary<Given> = fc.oneof(
  one({ $bytes: '' }, { $bytes: '00ff10' }, { $bytes: '48656c6c6f' }, '48656c6c6f', 'abc', 'zz'),
);
const times = fc.oneof(
  one(
    0,
    1_704_067_200_000,
    1_709_209_845_678,
    1_729_990_800_123,
    1_729_994_400_000,
    1_711_846_800_000,
    -1,
    -86_400_001,
    951_782_399_999,
    4_102_444_800_000,
  ),
  fc.integer({ min: -2_208_988_800_000, max: 4_102_444_800_000 }),
);
const json = one(
  '{"a":1,"b":"x","c":[1,2,3],"d":{"e":null,"f":true},"g":1.50}',
  '[1,"2",null]',
  '{}',
  '[]',
  '"x"',
  '5',
  'null',
  '{"a":1} x',
  '{bad',
  '',
  'true',
  '[{"key":"k","value":"v"},{"key":"n","value":5}]',
  '{"a":{"b":[{"c":1},{"c":2}]}}',
  '{"a":12345678901234567890}',
);
const paths = one(
  '$.a',
  '$.b',
  '$.c',
  '$.c[0]',
  '$.c[*]',
  '$.d.e',
  '$.d',
  '$',
  '$.x',
  '$.a.b[*].c',
  "$['b']",
  '$.c[1:]',
  '$.c[0:3:2]',
  '$.c[0:-1]',
  "$['a','c']",
  "$.d['e','f']",
  '$.c.length()',
  '$.c.sum()',
  '$.length()',
  '$ .a',
  '$.a ',
  '$.c[?(@ > 1)]',
  '$.d[?(@.e)]',
  '$..c',
  '$.g',
  'a',
  '$.d.f',
);
const urls = one(
  'https://user:pw@www.example.co.uk:8080/a/b.html?x=1&y=two%20words&x=3#frag',
  'http://example.com',
  'ftp://a.b/c',
  'mailto:a@b.c',
  '/path?q=1',
  'https://example.com/?a&b=#',
  'not a url',
  '',
  'http://[::1]:80/x',
  'https://www.example.com/a%20b+c',
  'a+b%2Bc d&e=é',
  '%zz',
);
const zones = fc.oneof(
  one(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'GMT+2',
    '+05:30',
    'PST',
    'Nowhere/X',
    'America/Los_Angeles',
  ),
  one('Z', 'EST', 'MST', 'HST', 'ROC', 'GMT+02:00', 'UTC+1', 'GMT-0', '+14:30', '+24:00', 'BST'),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);
const patterns = one(
  'yyyy-MM-dd HH:mm:ss',
  'yyyy-MM-dd',
  "yyyy-MM-dd'T'HH:mm:ss.SSS",
  'yyyyMMdd',
  'dd/MM/yyyy',
  'EEE, d MMM yyyy HH:mm:ss Z',
  'HH:mm',
  'yy-M-d h:mm a',
  'D yyyy',
  'xxxx-ww-e',
  'EEEE MMMM',
  'yyyy-MM-dd HH:mm:ss z',
  "yyyy 'o''clock'",
  'Q',
  'G yyyy',
  "yyyy 'open",
  'ZZZ',
  'ZZ',
  'k K',
  'C Y',
  'SSSSSS',
  'EEE',
  'EEEE HH:mm',
  'e',
  'ww',
  'xxxx-ww',
  'CC',
  'MMM',
  'h a',
  'zzzz',
);
const dateTexts = one(
  '2024-02-29 12:34:56',
  '2024-01-01',
  '2024-10-27T02:30:00.123',
  '20240229',
  '29/02/2024',
  'Thu, 29 Feb 2024 12:34:56 +0000',
  '12:34',
  '24-2-9 1:05 PM',
  '60 2024',
  'x',
  '',
  '2024-02-30',
  '1969-12-31 23:59:59',
  '2024-02-29 12:34:56 extra',
  '2024-02-29T12:34:56Z',
  '2024-02-29 12:34:56.7',
  '2024-02-29T12:34:56+02:00',
  'Mon',
  'Thursday 07:15',
  '3',
  '19',
  '2024-09',
  'Feb',
  '10 PM',
  '2024-02-29 12:34:56 PST',
);
const units = one(
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
  'day',
  'DECADE',
  'CENTURY',
  'X',
  'YEARS',
);
const timeUnits = one(
  'MILLISECONDS',
  'SECONDS',
  'MINUTES',
  'HOURS',
  'DAYS',
  'MICROSECONDS',
  'NANOSECONDS',
  'days',
  'WEEKS',
);
const formats = one(
  '1:MILLISECONDS:EPOCH',
  '1:SECONDS:EPOCH',
  '1:HOURS:EPOCH',
  '5:MINUTES:EPOCH',
  '1:DAYS:EPOCH',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)',
  'EPOCH|SECONDS',
  'EPOCH|DAYS|7',
  'TIMESTAMP',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd HH:mm:ss',
  'DAYS',
  'EPOCH',
  'SIMPLE_DATE_FORMAT',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd|America/New_York',
);
const granularities = one(
  '1:MILLISECONDS',
  '1:HOURS',
  '15:MINUTES',
  '1:DAYS',
  'DAYS|1',
  'HOURS',
  'MINUTES|30',
  '7:DAYS',
);
const regexes = one(
  '[a-c]+',
  '(\\w+)\\s(\\w+)',
  '^H',
  '\\d+',
  '(a)(b)?',
  '.',
  'l{2}',
  '(?i)hello',
  'x*',
  '[',
  'a|b',
  '(?<n>o)',
  '%',
);
const separators = one(',', '', 'X', ' ', 'b,', 'll', '.', '|');
const casts = one(
  'INT',
  'LONG',
  'DOUBLE',
  'FLOAT',
  'STRING',
  'BOOLEAN',
  'TIMESTAMP',
  'BIGINT',
  'VARCHAR',
  'INTEGER',
  'JSON',
  'BYTES',
  'BIG_DECIMAL',
  'X',
);
const addresses = one(
  '192.168.1.1',
  '10.0.0.0/8',
  '192.168.0.0/16',
  '::1',
  '2001:db8::/32',
  '2001:db8::1',
  'x',
  '10.1.2.3/24',
);
const uuids = one('123e4567-e89b-12d3-a456-426614174000', 'x');
const geohashes = one('u33dc', '9q8yy', '', 'a', 'ezs42');

/** The arguments for which a function of this class has been written, by position. */
const hints: readonly (readonly [RegExp, readonly (fc.Arbitrary<Given> | undefined)[]])[] = [
  [/^(todatetime|todatetimemv)$/, [times, patterns, zones]],
  [
    /^(fromdatetime|fromdatetimemv)$/,
    [dateTexts, patterns, fc.oneof(zones, zones, one('0', '5')), one(0, -1, 5)],
  ],
  [
    /^datetimeconvert$/,
    [
      fc.oneof(times, dateTexts, one('1704067200000', '19000')),
      formats,
      formats,
      granularities,
      zones,
    ],
  ],
  [/^datetrunc/, [units, times, timeUnits, zones, timeUnits]],
  [/^(timestampadd|dateadd)/, [units, smallWholes, times]],
  [/^(timestampdiff|datediff)/, [units, times, times]],
  [/^datebin$/, [one('1:HOURS', 'PT1H', '2 hours', 'DAY'), times, times]],
  [
    /^(extract)$/,
    [
      one(
        'YEAR',
        'MONTH',
        'DAY',
        'HOUR',
        'MINUTE',
        'SECOND',
        'WEEK',
        'DOW',
        'DOY',
        'QUARTER',
        'X',
        'TIMEZONE_HOUR',
        'MILLISECOND',
      ),
      times,
    ],
  ],
  [/^(timezonehour|timezoneminute)/, [zones, times]],
  [/^(fromiso8601|fromtimestamp|totimestamp)/, [fc.oneof(dateTexts, times)]],
  [/^toiso8601/, [times]],
  [/^ago/, [one('PT1H', 'P1D', '-PT5M', 'P1Y', 'x', 'PT0.5S')]],
  [
    /^(year|month|week|day|dow|doy|hour|minute|second|millisecond|quarter|yow|yearofweek|monthofyear|weekofyear)/,
    [times, zones],
  ],
  [/^toepoch/, [times, one(1, 2, 5, 15, 0, -1)]],
  [
    /^fromepoch/,
    [
      fc.oneof(one(0, 1, -1, 19_000, 28_000_000), fc.integer({ min: -40_000, max: 2_000_000_000 })),
      one(1, 2, 5, 15, 0),
    ],
  ],
  [/^json(keyvalue|string|format)|^isjson|^tojsonmap/, [json]],
  [
    /^jsonextractkey/,
    [json, paths, one('maxDepth=2', 'dotNotation=true', 'maxDepth=1;dotNotation=true')],
  ],
  [/^jsonpath/, [json, paths, one('dflt', '7', '2.5', 7, 'x')]],
  [/url/, [urls, one('x', 'y', 'a', 'q', '')]],
  [/^cut/, [urls, one('x', 'y', 'a', '')]],
  [/^(issubnetof|ip)/, [addresses, fc.oneof(addresses, smallWholes)]],
  [/uuid/, [fc.oneof(uuids, bytes)]],
  [/geohash/, [fc.oneof(geohashes, one(52.5, -91)), one(13.4, 200), smallWholes]],
  [/^cast$/, [undefined, casts]],
  [
    /^(regexp|like)/,
    [
      texts,
      fc.oneof(regexes, one('H%', '%o_', 'hello%', 'a_c')),
      fc.oneof(one('$1', 'x', '[$0]', ''), smallWholes),
      smallWholes,
      fc.oneof(texts, smallWholes),
      one('i', 'c', ''),
    ],
  ],
  [/^(split|splitpart|stringtoarray)$/, [texts, separators, smallWholes, smallWholes]],
  [/^(lpad|rpad|repeat)$/, [texts, smallWholes, fc.oneof(separators, smallWholes)]],
  [/^(substr|substring|left|right|leftsubstr|rightsubstr|chr)/, [texts, smallWholes, smallWholes]],
  [/^(strpos|strrpos)/, [texts, one('o', 'l', '', 'X', 'ab'), smallWholes]],
  [/^(base64decode|frombase64)$/, [fc.oneof(one('SGVsbG8=', 'SGVsbG8', 'YWJj', '!!', ''), bytes)]],
  [
    /^(array|tobytes|frombytes|toascii|fromascii)$/,
    [texts, one('UTF-8', 'ASCII', 'X', 'UTF-16', 'ISO-8859-1')],
  ],
  [/^frombytes$/, [bytes, one('UTF-8', 'ASCII', 'X')]],
  [/^(normalize)$/, [texts, one('NFC', 'NFD', 'NFKC', 'NFKD', 'X')]],
  [
    /^(prefixes|suffixes|uniquengrams|generateuniquengrams|ngrams)/,
    [texts, smallWholes, fc.oneof(separators, smallWholes)],
  ],
  [/^generate.*array$/, [smallWholes, smallWholes, smallWholes]],
  [/^round$/, [fc.oneof(wholes, longs), one(10, 1_000, 0, -3)]],
  [/^(rounddecimal|truncate)$/, [fc.oneof(fractions, wholes, specials), one(0, 1, 2, -1, 5)]],
  [/^(jsonextractscalar)$/, [json, paths]],
  [/^hexdecimaltolong$/, [one('ff', '0xff', '7fffffffffffffff', 'x', '-1', '0')]],
  [/^sleep$/, [one(0)]],
];

/**
 * Values for an argument of a function of Apache Pinot: mostly valid ones, and some that are not.
 */
export function argumentFor(name: string, type: string, place: number): fc.Arbitrary<Given> {
  const hinted = hints.find(([pattern]) => pattern.test(name))?.[1][place];
  const plain = byType(type);
  const isList = type.endsWith('[]') && type !== 'byte[]';
  if (hinted === undefined) return plain;
  const values = isList ? fc.array(hinted, { maxLength: 3 }) : hinted;
  return fc.oneof(
    { arbitrary: values, weight: 12 },
    { arbitrary: plain, weight: 1 },
    { arbitrary: fc.constant(null), weight: 1 },
  );
}

function byType(type: string): fc.Arbitrary<Given> {
  const element = type.endsWith('[]') ? type.slice(0, -2) : undefined;
  if (element !== undefined && element !== 'byte') {
    return weighted(
      [fc.array(elementFor(element), { maxLength: 5 }), 14],
      [elementFor(element), 1],
      [fc.constant(null), 1],
    );
  }
  return weighted([elementFor(type), 14], [anything, 2], [fc.constant(null), 1]);
}

function elementFor(type: string): fc.Arbitrary<Given> {
  switch (type) {
    case 'int':
    case 'Integer':
      return weighted(
        [wholes, 6],
        [fc.integer({ min: -200, max: 200 }), 3],
        [numberTexts, 1],
        [fractions, 1],
      );
    case 'long':
    case 'Long':
      return weighted(
        [wholes, 3],
        [longs, 3],
        [fc.maxSafeInteger(), 2],
        [numberTexts, 1],
        [fractions, 1],
      );
    case 'float':
    case 'double':
    case 'Double':
      return weighted(
        [fractions, 4],
        [wholes, 3],
        [specials, 2],
        [plainDouble({ min: -1e6, max: 1e6 }), 2],
        [numberTexts, 1],
      );
    case 'BigDecimal':
      return weighted(
        [fractions, 3],
        [wholes, 2],
        [one('1.50', '-12345678901234567890.123', '0E-10', '1e3', 'x'), 3],
      );
    case 'boolean':
    case 'Boolean':
      return one(
        'true',
        'false',
        'TRUE',
        'yes',
        1,
        0,
        '1',
        { $boolean: true },
        { $boolean: false },
      );
    case 'Timestamp':
      return fc.oneof(times, dateTexts);
    case 'byte[]':
      return bytes;
    case 'Map':
      return one({ a: 1, b: 'x' }, {}, { k: [1, 2] });
    case 'String':
      return weighted([texts, 8], [shortText, 4], [anything, 1]);
    default:
      return anything;
  }
}

const anything: fc.Arbitrary<Given> = weighted(
  [texts, 3],
  [wholes, 3],
  [fractions, 2],
  [longs, 1],
  [one({ $boolean: true }, 'false'), 1],
  [one([1, 2, 3], ['a', 'b'], [], [null], { a: 1 }, { b: { c: [1] } }), 1],
);

/**
 * A double that JSON can represent as a double: neither infinite nor -0, nor written as a long
 * integer.
 */
export function plainDouble(range: {
  readonly min?: number;
  readonly max?: number;
}): fc.Arbitrary<number> {
  return fc
    .double({ ...range, noNaN: true, noDefaultInfinity: true })
    .map((value) => value + 0)
    .filter((value) => Math.abs(value) < 2 ** 53 || Math.abs(value) >= 1e21);
}

function one(...values: readonly Given[]): fc.Arbitrary<Given> {
  return fc.constantFrom(...values);
}

function weighted(
  ...choices: readonly (readonly [fc.Arbitrary<Given>, number])[]
): fc.Arbitrary<Given> {
  return fc.oneof(...choices.map(([arbitrary, weight]) => ({ arbitrary, weight })));
}
