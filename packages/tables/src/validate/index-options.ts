import { Type } from '@quire/core/schema';
import type { TSchema } from 'typebox';
import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import { readModel } from '../model/read-model.ts';
import { vectorDistances } from './index-kinds.ts';
import { type CheckedTable, type Fault, placed, placedMembers, rulesAbout } from './rule.ts';
import { isSize } from './values-at.ts';

/** The options of an index that Apache Pinot reads, by their types. */
interface OptionNames {
  readonly flags?: string;
  readonly integers?: string;
  readonly numbers?: string;
  readonly texts?: string;
  readonly lists?: string;
  readonly objects?: string;
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** Matches a value that may replace the object; true disables the index. */
  readonly short?: RegExp;
}

const libraries = ['LUCENE', 'NATIVE'];
const aBoolean = /^(?:[tT]rue|TRUE|[fF]alse|FALSE)$/;

/** The options by the name of their index in `indexes` of an element of fieldConfigList. */
const optionNames: Readonly<Record<string, OptionNames>> = {
  inverted: {},
  json: {
    flags: 'excludeArray disableCrossArrayUnnest skipInvalidJson',
    integers: 'maxLevels maxValueLength maxBytesSize',
    lists: 'includePaths excludePaths excludeFields indexPaths',
    short: aBoolean,
  },
  bloom: { flags: 'loadOnHeap', integers: 'maxSizeInBytes', numbers: 'fpp' },
  range: { integers: 'version', short: /^[+-]?\d{1,10}$/ },
  text: {
    flags:
      'queryCache useANDForMultiTermQueries luceneUseCompoundFile reuseMutableIndex caseSensitive ' +
      'enablePrefixSuffixMatchingInPhraseQueries useLogByteSizeMergePolicy storeInSegmentFile',
    integers: 'luceneMaxBufferSizeMB luceneNRTCachingDirectoryMaxBufferSizeMB',
    texts: 'luceneAnalyzerClass luceneQueryParserClass',
    lists: 'stopWordsInclude stopWordsExclude',
    words: { fst: libraries },
  },
  fst: { words: { type: libraries } },
  h3: {},
  vector: {
    integers: 'vectorDimension version',
    texts: 'vectorIndexType',
    objects: 'properties',
    words: { vectorDistanceFunction: vectorDistances },
    short: /^(?:[tT]rue|TRUE)$/,
  },
  dictionary: {
    flags: 'onHeap useVarLengthDictionary',
    objects: 'intern',
    short: aBoolean,
  },
  forward: {
    flags: 'deriveNumDocsPerChunk',
    integers: 'rawIndexWriterVersion targetDocsPerChunk',
    texts: 'targetMaxChunkSize',
    objects: 'configs',
  },
};

const models: ReadonlyMap<string, { readonly object: TSchema; readonly short?: RegExp }> = new Map(
  Object.entries(optionNames).map(([name, { short, ...names }]) => [
    name,
    { object: modelOf(names), ...(short !== undefined && { short }) },
  ]),
);

function modelOf({ words = {}, ...names }: OptionNames): TSchema {
  const typed = (list: string | undefined, type: TSchema) =>
    (list?.split(' ') ?? []).map((option) => [option, type] as const);
  return Type.Object(
    Object.fromEntries([
      ...typed(`disabled ${names.flags ?? ''}`.trim(), Type.Boolean()),
      ...typed(names.integers, Type.Integer()),
      ...typed(names.numbers, Type.Number()),
      ...typed(names.texts, Type.String()),
      ...typed(names.lists, Type.Array(Type.String())),
      ...typed(names.objects, Type.Object({})),
      ...Object.entries(words).map(
        ([option, some]) => [option, Type.Unsafe({ type: 'string', enum: some })] as const,
      ),
    ]),
  );
}

/** Rules about the options of indexes that do not depend on the column. */
export const indexOptionRules = [
  rulesAbout('indexes').error(
    'INDEX_OPTION',
    'The options of an index must be an object, and must have the types that Apache Pinot reads, such as {"maxLevels": 2}.',
    function* ({ config }) {
      for (const [path, name, given] of optionsOf(config)) yield* optionFaults(path, name, given);
    },
  ),
];

/** Yields the options of indexes, with the names of the indexes. */
function* optionsOf({
  fieldConfigList,
  tableIndexConfig: { jsonIndexConfigs, bloomFilterConfigs } = {},
}: CheckedTable['config']): Generator<readonly [path: string, name: string, given: unknown]> {
  for (const [path, { indexes }] of placed('/fieldConfigList', fieldConfigList)) {
    for (const [place, name, given] of placedMembers<unknown>(`${path}/indexes`, indexes)) {
      yield [place, name, given];
    }
  }
  const byColumn = { jsonIndexConfigs, bloomFilterConfigs };
  for (const [member, options] of Object.entries(byColumn)) {
    const name = member === 'jsonIndexConfigs' ? 'json' : 'bloom';
    for (const [place, , given] of placedMembers<unknown>(`/tableIndexConfig/${member}`, options)) {
      yield [place, name, given];
    }
  }
}

function* optionFaults(path: string, name: string, given: unknown): Generator<Fault> {
  const model = models.get(name);
  // Apache Pinot takes null for no index, and ignores indexes that it does not know.
  if (model === undefined || given === null) return;
  const isScalar =
    typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean';
  if (isScalar && model.short?.test(String(given)) === true) return;
  for (const { path: place, message, severity } of readModel(model.object, given).findings) {
    if (severity === 'error') yield [`${path}${place}`, message];
  }
  if (!isRecord(given)) return;
  const { resolution = null, targetMaxChunkSize: size = null } = given;
  if (name === 'h3' && resolution !== null && ![resolution].flat().every(Number.isInteger)) {
    yield [
      pointerTo(path, 'resolution'),
      'The resolution is not a whole number, or a list of them.',
    ];
  }
  if (name === 'forward' && typeof size === 'string' && !isSize(size)) {
    yield [pointerTo(path, 'targetMaxChunkSize'), `‘${size}’ is not a size such as 1M.`];
  }
}
