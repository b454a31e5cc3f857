import { isQuireError, parseDurationMs } from '@quire/core';
import type { Finding, TableConfigDocument } from '@quire/core/table-engine';
import { parseStreamConfig } from '@quire/streams';
import { parseTableConfig } from '@quire/tables';

/** The limits at which a consuming segment is committed. */
export interface FlushThresholds {
  readonly rowsMax: number;
  readonly timeMaxMs: number;
  readonly sizeBytesMax: number;
}

/** The stream settings of a table's config. */
export interface StreamSettings {
  /** The JSON pointer to these settings. */
  readonly path: string;
  /** The config for `openStream`. */
  readonly config: Readonly<Record<string, string>>;
  readonly thresholds: FlushThresholds;
}

/** Apache Pinot's default thresholds. */
const defaults = { rowsMax: 5_000_000, timeMax: '6h', sizeMax: '200M' } as const;
const thresholdKey = 'realtime.segment.flush.threshold';
const sizePattern = /^(\d+(?:\.\d+)?)\s*([KMGT]?)B?$/i;

/** Returns the streams of a table, in the order of its config. */
export function streamSettingsOf(document: TableConfigDocument): readonly StreamSettings[] {
  const { ingestionConfig, tableIndexConfig } = parseTableConfig(document).config;
  const maps = ingestionConfig?.streamIngestionConfig?.streamConfigMaps ?? [];
  const listed = maps.map((map, index) =>
    settingsOf(`/ingestionConfig/streamIngestionConfig/streamConfigMaps/${index}`, map),
  );
  const old = tableIndexConfig?.streamConfigs ?? {};
  return Object.keys(old).length === 0
    ? listed
    : [...listed, settingsOf('/tableIndexConfig/streamConfigs', old)];
}

/** Returns findings about the streams of a real-time table that no validation rule covers. */
export function streamFindings(document: TableConfigDocument): readonly Finding[] {
  if (document['tableType'] !== 'REALTIME') return [];
  const [first, second] = streamSettingsOf(document);
  if (first === undefined) return [];
  const message = 'The embedded table server consumes one stream per table.';
  const several: Finding[] = [
    ...(second === undefined
      ? []
      : [{ path: second.path, code: 'UNSUPPORTED', severity: 'error' as const, message }]),
    ...thresholdFindings(first),
  ];
  try {
    parseStreamConfig(first.config);
    return several;
  } catch (error) {
    if (!isQuireError(error, 'STREAM_INVALID')) throw error;
    const findings = error.findings ?? [
      { path: '', code: 'STREAM_INVALID', severity: 'error', message: error.message },
    ];
    return [
      ...several,
      ...findings.map((finding) => ({ ...finding, path: `${first.path}${finding.path}` })),
    ];
  }
}

/**
 * Checks the thresholds that would otherwise be ignored; a validation rule checks the time
 * threshold.
 */
function* thresholdFindings({ path, config }: StreamSettings): Generator<Finding> {
  const values = [
    { name: 'rows', pattern: /^\d+$/, expected: 'a whole number' },
    { name: 'segment.rows', pattern: /^\d+$/, expected: 'a whole number' },
    { name: 'segment.size', pattern: sizePattern, expected: 'a size such as 200M' },
  ];
  for (const { name, pattern, expected } of values) {
    const [key, value] = [`${thresholdKey}.${name}`, config[`${thresholdKey}.${name}`]];
    if (value === undefined || pattern.test(value.trim())) continue;
    const message = `${key} is ‘${value.slice(0, 100)}’; expected ${expected}.`;
    yield { path: `${path}/${key}`, code: 'FLUSH_THRESHOLD', severity: 'error', message };
  }
}

function settingsOf(path: string, map: Readonly<Record<string, unknown>>): StreamSettings {
  const texts = Object.entries(map).filter(([, value]) =>
    ['string', 'number', 'boolean', 'bigint'].includes(typeof value),
  );
  const config = Object.fromEntries(texts.map(([key, value]) => [key, String(value)]));
  // Zero rows mean that another threshold counts.
  const rows =
    Number(config[`${thresholdKey}.rows`] ?? 0) ||
    Number(config[`${thresholdKey}.segment.rows`] ?? 0);
  return {
    path,
    config,
    thresholds: {
      rowsMax: rows > 0 ? rows : defaults.rowsMax,
      timeMaxMs: millisecondsOf(config[`${thresholdKey}.time`] ?? defaults.timeMax),
      sizeBytesMax: bytesOf(config[`${thresholdKey}.segment.size`] ?? defaults.sizeMax),
    },
  };
}

/** Parses a duration such as `6h`, or milliseconds. A validation rule reports other values. */
function millisecondsOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  try {
    return parseDurationMs(text.toLowerCase());
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return parseDurationMs(defaults.timeMax);
  }
}

const unitBytes: Readonly<Record<string, number>> = {
  '': 1,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
};

/** Parses a size such as `200M` or `1.5GB`, or bytes. */
function bytesOf(text: string): number {
  const match = sizePattern.exec(text.trim());
  const bytes = Number(match?.[1] ?? 0) * (unitBytes[(match?.[2] ?? '').toUpperCase()] ?? 1);
  return bytes > 0 ? bytes : bytesOf(defaults.sizeMax);
}
