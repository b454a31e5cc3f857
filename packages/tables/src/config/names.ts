/** Names that are the same in every part of a config: enumerations of SPECIFICATION.md sections 2.3 to 2.5, with the values of the open peer. */

export const tableTypes = ['OFFLINE', 'REALTIME'] as const;
export const timeUnits = ['NANOSECONDS', 'MICROSECONDS', 'MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS'] as const;
export const pushTypes = ['APPEND', 'REFRESH'] as const;
export const encodingTypes = ['RAW', 'DICTIONARY'] as const;
export const indexTypes = ['INVERTED', 'SORTED', 'TEXT', 'FST', 'H3', 'JSON', 'TIMESTAMP', 'VECTOR', 'RANGE'] as const;
export const timestampGranularities = [
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
] as const;
export const compressionCodecs = [
  'PASS_THROUGH',
  'SNAPPY',
  'ZSTANDARD',
  'LZ4',
  'GZIP',
  'MV_ENTRY_DICT',
  'CLP',
  'CLPV2',
  'CLPV2_ZSTD',
  'CLPV2_LZ4',
] as const;
export const partialUpsertStrategies = ['APPEND', 'IGNORE', 'INCREMENT', 'MAX', 'MIN', 'OVERWRITE', 'UNION'] as const;
