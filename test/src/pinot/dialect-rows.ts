/*
 * The two tables that queries of `dialect-queries.ts` read, in Apache Pinot and in Quire: `things`,
 * with a column of each type, and `kinds`, to join with. Nulls are rare, because Pinot stores a
 * value in their place.
 */

const column = (name: string, dataType: string, singleValueField = true): object => ({
  name,
  dataType,
  ...(!singleValueField && { singleValueField }),
});

export const thingsSchema = {
  schemaName: 'things',
  enableColumnBasedNullHandling: true,
  dimensionFieldSpecs: [
    column('id', 'INT'),
    column('kind', 'STRING'),
    column('i', 'INT'),
    column('l', 'LONG'),
    column('f', 'FLOAT'),
    column('d', 'DOUBLE'),
    column('n', 'BIG_DECIMAL'),
    column('b', 'BOOLEAN'),
    column('s', 'STRING'),
    column('j', 'JSON'),
    column('h', 'BYTES'),
    column('ts', 'TIMESTAMP'),
    column('tms', 'LONG'),
    column('tsec', 'LONG'),
    column('tday', 'INT'),
    column('day', 'STRING'),
    column('ints', 'INT', false),
    column('words', 'STRING', false),
    column('maybe', 'INT'),
    column('note', 'STRING'),
  ],
};

export const kindsSchema = {
  schemaName: 'kinds',
  dimensionFieldSpecs: [column('kind', 'STRING'), column('label', 'STRING'), column('rank', 'INT')],
};

export const kindRows: readonly object[] = [
  { kind: 'apple', label: 'Fruit', rank: 1 },
  { kind: 'pear', label: 'Fruit', rank: 2 },
  { kind: 'leek', label: 'Vegetable', rank: 3 },
  { kind: 'rice', label: 'Grain', rank: 4 },
];

const kinds = ['apple', 'pear', 'leek', 'oak'];
const texts = [
  'Hello World',
  'alpha,beta,,gamma',
  '  padded  ',
  'ümlaut ß',
  'a1b22c333',
  '',
  'https://example.com/path?q=1&r=two#end',
  'UPPER lower',
];
const firstMs = Date.UTC(2024, 1, 28, 22, 17, 5, 123);
/** Three hours and some: rows cross days, a leap day, months and years. */
const stepMs = 17 * 86_400_000 + 3 * 3_600_000 + 61_007;

export const thingRows: readonly object[] = Array.from({ length: 24 }, (_, id) => {
  const ms = firstMs + (id - 4) * stepMs;
  const word = texts[id % texts.length] ?? '';
  return {
    id,
    kind: kinds[id % kinds.length],
    i: (id - 7) * 13,
    l: (id - 11) * 1_234_567_890_123,
    f: (id - 5) * 0.25,
    d: id === 20 ? 2.5 : (id - 9) * 1.3,
    n: `${id - 3}.${String(id * 37).padStart(4, '0')}`,
    b: id % 3 === 0,
    s: word,
    j: {
      name: `n${id}`,
      size: id * 3,
      price: id / 4,
      flag: id % 2 === 0,
      tags: ['x', `t${id % 3}`],
      in: { deep: [id, id + 1] },
      ...(id % 4 === 0 && { some: null }),
    },
    h: id
      .toString(16)
      .padStart(2, '0')
      .repeat((id % 3) + 1),
    ts: new Date(ms).toISOString().replace('T', ' ').replace('Z', ''),
    tms: ms,
    tsec: Math.floor(ms / 1000),
    tday: Math.floor(ms / 86_400_000),
    day: new Date(ms).toISOString().slice(0, 10),
    ints: Array.from({ length: (id % 4) + 1 }, (_, at) => (id * 7 + at * 5) % 11),
    words: Array.from({ length: (id % 3) + 1 }, (_, at) => texts[(id + at) % 5] ?? ''),
    maybe: id % 5 === 2 ? null : id % 6,
    note: id % 7 === 3 ? null : `note ${id % 4}`,
  };
});
