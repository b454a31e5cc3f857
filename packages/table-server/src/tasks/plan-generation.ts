import { csvPropertyOf, parseTableConfig } from '@quire/tables';
import { countOf, invalid, textsOf } from './task-options.ts';
import type { TaskPlanner } from './task-plan.ts';

const tasksMaxDefault = 100;

/**
 * Plans one segment for each file that the table's `batchConfigMaps` name: with APPEND for those
 * that no such task has loaded yet, with REFRESH for all of them, which then replace all segments.
 */
export const planGeneration: TaskPlanner = async ({ table, configs, progress, finder, signal }) => {
  if (table.type !== 'OFFLINE') {
    throw invalid(
      'taskType',
      `${table.name} is filled from a stream: load files into its OFFLINE half.`,
    );
  }
  if (finder === undefined) {
    throw invalid('inputDirURI', 'The settings allow no locations that files may be read from.');
  }
  const { ingestionConfig, segmentsConfig } = parseTableConfig(table.record.config).config;
  const batch = ingestionConfig?.batchIngestionConfig;
  const isOfCall = configs['inputDirURI'] !== undefined;
  const maps = isOfCall ? [configs] : (batch?.batchConfigMaps ?? []).map(textsOf);
  if (isOfCall) assertReaderOptions(configs);
  if (maps.length === 0) {
    throw invalid('inputDirURI', 'It is missing, and the table has no batchConfigMaps.');
  }
  const pushType =
    configs['push.type'] ??
    batch?.segmentIngestionType ??
    segmentsConfig?.segmentPushType ??
    'APPEND';
  const isRefresh = pushType.toUpperCase() === 'REFRESH';
  const known = new Set(isRefresh ? [] : progress.ingestedFiles);
  const found = new Map<string, Readonly<Record<string, string>>>();
  let matchCount = 0;
  for (const map of maps) {
    if (map['excludeFileNamePattern'] !== undefined) {
      throw invalid(
        'excludeFileNamePattern',
        'It is not supported here; expected includeFileNamePattern.',
      );
    }
    const pattern = patternOf(map);
    const { files, problem } = await finder.find(pattern, signal);
    if (problem !== undefined) throw invalid('inputDirURI', problem.message);
    matchCount += files.length;
    for (const { uri } of files) if (!known.has(uri)) found.set(uri, map);
  }
  if (found.size === 0) {
    const patterns = maps.map(patternOf).join(', ');
    return {
      reason:
        matchCount === 0
          ? `No file matches ${patterns}.`
          : `All files that match ${patterns} have been loaded already (${matchCount}).`,
    };
  }
  // REFRESH replaces all segments, so it loads all files.
  const taken = [...found].slice(
    0,
    isRefresh ? undefined : countOf(configs, 'tableMaxNumTasks', tasksMaxDefault),
  );
  return {
    subtasks: taken.map(([uri, batchConfig]) => ({
      configs: {
        ...batchConfig,
        'input.data.file.uri': uri,
        tableName: table.name,
        pushType: isRefresh ? 'REFRESH' : 'APPEND',
      },
      work: { kind: 'generate', uri, batchConfig },
    })),
    commit: {
      targetTable: table.name,
      remove: isRefresh ? 'all' : [],
      ingestedFiles: taken.map(([uri]) => uri),
      watermarkMs: null,
    },
  };
};

/**
 * Checks for options of readers without their prefix, which would have no effect. Other unknown
 * ones may be options of Apache Pinot's tasks.
 */
function assertReaderOptions(configs: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(configs)) {
    const property = csvPropertyOf(name);
    if (property !== undefined) throw invalid(name, `It is unknown; expected ${property}.`);
  }
}

/**
 * Returns the pattern of the files: `inputDirURI`, and below it `includeFileNamePattern` (`glob:`
 * and a pattern).
 */
function patternOf(map: Readonly<Record<string, string>>): string {
  const directory = map['inputDirURI'];
  if (directory === undefined) {
    throw invalid('inputDirURI', 'It is missing; expected the directory of the files.');
  }
  const include = map['includeFileNamePattern'] ?? 'glob:**/*';
  if (!include.startsWith('glob:')) {
    throw invalid(
      'includeFileNamePattern',
      `‘${include.slice(0, 100)}’ is not supported here; expected glob: and a pattern.`,
    );
  }
  const plain = directory.replace(/^file:(?:\/\/)?(?=\/)/, '').replace(/\/+$/, '');
  return `${plain}/${include.slice('glob:'.length).replace(/^\/+/, '')}`;
}
