import fc from 'fast-check';
import type { Given } from './argument-pools.ts';
import type { PipelineCase } from './pipeline-cases.ts';

/** Values at the ends of paths. */
const leaf = fc.constantFrom<Given>(
  1,
  2.5,
  'x',
  'Mixed Case',
  '',
  true,
  null,
  '{"k": 1}',
  [1, 2],
  ['a', 'B'],
  [],
  [null],
  { $long: '9007199254740993' },
);
/** Maps and lists in each other, of members of some names. */
function deepOf(...names: readonly string[]): fc.Arbitrary<Given> {
  return fc.letrec<{ value: Given }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
      fc.array(fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value'), { maxKeys: 2 }), {
        maxLength: 3,
      }),
    ),
  })).value;
}

const deep = deepOf('x', 'y', 'z', 'key9');
const deepWithSuffix = deepOf('x', 'y', 'z', 'x.y', 's_noindex');

const optionalOf = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const types = fc.constantFrom('STRING', 'JSON', 'INT', 'LONG', 'DOUBLE');

function schemaOf(
  names: readonly string[],
  drawn: readonly (readonly [type: string, isMany: boolean])[],
): PipelineCase['schema'] {
  return {
    schemaName: 't',
    dimensionFieldSpecs: names.map((name, index) => {
      const [dataType = 'STRING', isMany = false] = drawn[index] ?? [];
      return { name, dataType, ...(isMany && dataType !== 'JSON' && { singleValueField: false }) };
    }),
  };
}

function tableWith(ingestionConfig: object): PipelineCase['config'] {
  return {
    tableName: 't_OFFLINE',
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
    tenants: {},
    tableIndexConfig: {},
    ingestionConfig,
  } as PipelineCase['config'];
}

const kinds = fc.array(fc.tuple(types, fc.boolean()), { minLength: 12, maxLength: 12 });

/** Collections that are unnested, at the top and below, and are columns too. */
export const unnestCases: fc.Arbitrary<PipelineCase> = fc
  .record({
    unnested: fc.subarray(['a', 'b', 'a.x', 'a.x.y', 'b.z', 'a.y'], { minLength: 1 }),
    names: fc.subarray(['a', 'b', 'a.x', 'a.x.y', 'b.z', 'a.y', 'c.x', 'a.z'], { minLength: 2 }),
    kinds,
    mode: optionalOf(fc.constantFrom('NONE', 'NON_PRIMITIVE', 'ALL')),
    prefixes: optionalOf(
      fc.constantFrom<Readonly<Record<string, string>>>({ a: 'c' }, { 'b.': '' }),
    ),
    transform: optionalOf(fc.constantFrom('jsonFormat(a)', 'jsonFormat("a.x")', 'b')),
    continueOnError: fc.boolean(),
    rows: fc.array(fc.record({ a: deep, b: deep, c: leaf, 'a.x': leaf }, { requiredKeys: ['a'] }), {
      minLength: 4,
      maxLength: 6,
    }),
  })
  .map(({ unnested, names, kinds: drawn, mode, prefixes, transform, continueOnError, rows }) => ({
    config: tableWith({
      continueOnError,
      complexTypeConfig: {
        fieldsToUnnest: unnested,
        ...(mode !== undefined && { collectionNotUnnestedToJson: mode }),
        ...(prefixes !== undefined && { prefixesToRename: prefixes }),
      },
      ...(transform !== undefined && {
        transformConfigs: [{ columnName: 'made', transformFunction: transform }],
      }),
    }),
    schema: schemaOf([...names, 'made'], [...drawn.slice(0, names.length), ['STRING', false]]),
    rows,
  }));

const paths = fc.subarray(['a', 'a.x', 'b', 'b.y', 'message', 'c'], { maxLength: 2 });

/** Rows of any shape, sorted into columns, extras and merged text. */
export const conformingCases: fc.Arbitrary<PipelineCase> = fc
  .record({
    names: fc.subarray(['a', 'b', 'a.x', 'a.x.y', 'b.z', 'c', 'message'], { minLength: 1 }),
    kinds,
    extrasType: fc.constantFrom('JSON', 'STRING'),
    isMergedMany: fc.boolean(),
    hasMerged: fc.boolean(),
    continueOnError: fc.boolean(),
    config: fc.record(
      {
        enableUnindexableExtras: fc.boolean(),
        enableIndexableExtras: fc.constantFrom(true, true, false),
        unindexableFieldSuffix: fc.constantFrom('_noindex', 'z'),
        fieldPathsToSkipStorage: paths,
        fieldPathsToPreserveInput: paths,
        fieldPathsToPreserveInputWithIndex: paths,
        fieldsToDoubleIngest: paths,
        fieldPathsToDrop: fc.constantFrom<readonly string[]>([], ['d'], ['a.z', 'd.x']),
        columnNameToJsonKeyPathMap: fc.constantFrom<object>({}, { other: 'd.x' }),
        useAnonymousDotInFieldNames: fc.boolean(),
        optimizeCaseInsensitiveSearch: fc.boolean(),
        reverseTextIndexKeyValueOrder: fc.boolean(),
        jsonKeyValueSeparator: fc.constantFrom(':', '\u001e', '=>'),
        mergedTextIndexBeginOfDocAnchor: fc.constantFrom('', '\u0002'),
        mergedTextIndexEndOfDocAnchor: fc.constantFrom('', '\u0003'),
        mergedTextIndexDocumentMaxLength: fc.constantFrom(32_766, 12, 4),
        mergedTextIndexBinaryDocumentDetectionMinLength: fc.constantFrom(512, 3),
        mergedTextIndexPathToExclude: paths,
      },
      { requiredKeys: [] },
    ),
    rows: fc.array(
      fc.record(
        {
          a: deepWithSuffix,
          b: deepWithSuffix,
          c: leaf,
          d: deepWithSuffix,
          message: leaf,
          'a.x': leaf,
          a_logtype: leaf,
          __key: leaf,
          e_noindex: deepWithSuffix,
        },
        { requiredKeys: [] },
      ),
      { minLength: 4, maxLength: 6 },
    ),
  })
  .map(
    ({ names, kinds: drawn, extrasType, isMergedMany, hasMerged, continueOnError, ...rest }) => ({
      config: tableWith({
        continueOnError,
        schemaConformingTransformerConfig: { ...rest.config, ...preservedIn(rest.config, names) },
      }),
      schema: schemaOf(
        [
          'json_data',
          'json_data_no_idx',
          'other',
          ...names,
          ...(hasMerged ? ['__mergedTextIndex'] : []),
        ],
        [
          [extrasType, false],
          ['JSON', false],
          ['STRING', false],
          ...drawn.slice(0, names.length),
          ['STRING', isMergedMany],
        ],
      ),
      rows: rest.rows,
    }),
  );

/** Only fields with a column in the schema may be preserved. */
function preservedIn(
  config: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const members = ['fieldPathsToPreserveInput', 'fieldPathsToPreserveInputWithIndex'] as const;
  return Object.fromEntries(
    members.flatMap((member) => {
      const given = config[member];
      return Array.isArray(given)
        ? [[member, (given as readonly string[]).filter((path) => names.includes(path))]]
        : [];
    }),
  );
}
