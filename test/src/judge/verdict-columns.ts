import fc from 'fast-check';
import { expression, words } from './verdict-words.ts';

const timeFormat = fc.constantFrom<unknown>(
  '1:MILLISECONDS:EPOCH',
  '1:DAYS:EPOCH',
  '15:MINUTES:EPOCH',
  'EPOCH|SECONDS|1',
  'EPOCH|HOURS',
  'EPOCH',
  'TIMESTAMP',
  '1:MILLISECONDS:TIMESTAMP',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
  '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd tz(Europe/Berlin)',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd HH:mm:ss',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd|America/New_York',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd|Nowhere/X',
  'SIMPLE_DATE_FORMAT',
  'SIMPLE_DATE_FORMAT|dd/MM/yyyy',
  "SIMPLE_DATE_FORMAT|yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
  '1:SECONDS:SIMPLE_DATE_FORMAT:HH:mm:ss',
  '1:WEEKS:EPOCH',
  'x',
  '',
  'epoch|DAYS|1',
  '1:DAYS:EPOCH:x',
  'DAYS',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd EEE',
  'SIMPLE_DATE_FORMAT|MMM yyyy',
  'SIMPLE_DATE_FORMAT|yyyyQ',
  'SIMPLE_DATE_FORMAT|xxxx-ww',
  'SIMPLE_DATE_FORMAT|yyyy-MM-dd h:mm a',
  '-1:DAYS:EPOCH',
  'x:DAYS:EPOCH',
);
const granularity = fc.constantFrom<unknown>(
  '1:DAYS',
  '15:MINUTES',
  'DAYS|1',
  'HOURS',
  'MILLISECONDS',
  'MINUTES|30',
  '0:DAYS',
  '1:WEEKS',
  'x',
  '',
  '1:days',
  '1:DAYS:EPOCH',
  '-1:HOURS',
  'DAYS|x',
);
const types = fc.constantFrom<unknown>(
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIG_DECIMAL',
  'BOOLEAN',
  'TIMESTAMP',
  'STRING',
  'JSON',
  'BYTES',
  'MAP',
  'STRUCT',
  'LIST',
  'UNKNOWN',
  'int',
  'VARCHAR',
);
const defaults = fc.constantFrom<unknown>(
  0,
  1,
  1.5,
  -1,
  'x',
  '',
  '7',
  'true',
  true,
  'NaN',
  '00ff',
  '{}',
  'null',
  '1e3',
  '2.5',
  3e9,
  {},
  [],
);
/** Sound columns of a list, each with one or two members that are drawn. */
export const fields = (
  sound: readonly Readonly<Record<string, unknown>>[],
  ...members: readonly string[]
) => {
  const drawn: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    name: fc.oneof(
      { arbitrary: fc.constantFrom('p', 'q', 'r', 's'), weight: 9 },
      { arbitrary: fc.constantFrom('id', 'a b', '', '$p', 'P', 'a.b', 'm__KEYS'), weight: 2 },
    ),
    dataType: types,
    singleValueField: words(true, false, true, 'false'),
    notNull: words(true, false),
    maxLength: words(5, 512, 0, -1, '7', 'x'),
    maxLengthExceedStrategy: words(
      'TRIM_LENGTH',
      'ERROR',
      'SUBSTITUTE_DEFAULT_VALUE',
      'NO_ACTION',
      'trim_length',
      'x',
    ),
    defaultNullValue: defaults,
    defaultNullValueString: words('0', '1', 'x', ''),
    virtualColumnProvider: words('x.Provider', ''),
    transformFunction: expression,
    allowTrailingZeros: words(true, false),
    format: timeFormat,
    granularity,
    sampleValue: words(
      1_700_000_000_000,
      19_000,
      '2024-01-01',
      'x',
      0,
      -1,
      '',
      '20240229',
      3_187_296_000_000,
      3_187_296_000_001,
      31_536_000_000,
    ),
    fieldType: words('DIMENSION', 'METRIC', 'DATE_TIME', 'X'),
    childFieldSpecs: words(
      {},
      { x: { name: 'x', dataType: 'INT', fieldType: 'DIMENSION' } },
      {
        key: { name: 'key', dataType: 'STRING', fieldType: 'DIMENSION' },
        value: { name: 'value', dataType: 'INT', fieldType: 'DIMENSION' },
      },
    ),
  };
  const change = fc
    .constantFrom(...members)
    .chain((member) =>
      fc.tuple(
        fc.constant(member),
        fc.oneof(
          { arbitrary: drawn[member] ?? fc.constant(null), weight: 9 },
          { arbitrary: fc.constantFrom<unknown>(undefined, null, {}, ['x']), weight: 1 },
        ),
      ),
    );
  const one = fc
    .tuple(
      fc.constantFrom('p', 'q', 'r', 's'),
      fc.constantFrom(...sound),
      fc.array(change, { minLength: 1, maxLength: 2 }),
    )
    .map(([name, column, changes]) =>
      withoutUndefined({ name, ...column, ...Object.fromEntries(changes) }),
    );
  return fc.array(one, { minLength: 1, maxLength: 1 }) as fc.Arbitrary<unknown>;
};
const withoutUndefined = (value: object): unknown =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
const ofTypes = (...some: readonly string[]) => some.map((dataType) => ({ dataType }));
export const dimensions = [
  ...ofTypes(
    'INT',
    'LONG',
    'FLOAT',
    'DOUBLE',
    'BIG_DECIMAL',
    'BOOLEAN',
    'TIMESTAMP',
    'STRING',
    'JSON',
    'BYTES',
  ),
  ...ofTypes('INT', 'STRING', 'BYTES', 'TIMESTAMP').map((column) => ({
    ...column,
    singleValueField: false,
  })),
];
export const metrics = ofTypes('INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BYTES');
export const times = [
  { dataType: 'LONG', format: '1:DAYS:EPOCH', granularity: '1:DAYS' },
  { dataType: 'STRING', format: 'SIMPLE_DATE_FORMAT|yyyy-MM-dd', granularity: 'DAYS|1' },
  { dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: '15:MINUTES' },
];
export const complexes = [
  { dataType: 'MAP' },
  {
    dataType: 'MAP',
    childFieldSpecs: {
      key: { name: 'key', dataType: 'STRING', fieldType: 'DIMENSION' },
      value: { name: 'value', dataType: 'INT', fieldType: 'DIMENSION' },
    },
  },
];
export const plainFields = [
  'name',
  'dataType',
  'singleValueField',
  'notNull',
  'maxLength',
  'maxLengthExceedStrategy',
  'defaultNullValue',
  'defaultNullValueString',
  'virtualColumnProvider',
  'transformFunction',
  'allowTrailingZeros',
  'fieldType',
];
