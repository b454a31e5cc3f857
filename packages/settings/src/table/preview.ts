import { backendOfScheme } from '../store-backends.ts';
import { location, type StoreLocation } from '../location-kind.ts';
import {
  duration,
  integer,
  optionalSetting,
  setting,
  type SettingKind,
  size,
} from '@quire/core/settings';

/** Directories, files and buckets, separated by commas, without duplicates. */
const sources: SettingKind<readonly StoreLocation[]> = {
  allowed: `a list separated by commas, each element ${location.allowed}`,
  parse: (text, baseDir) => {
    const read = text.split(',').map((element) => location.parse(element.trim(), baseDir));
    const known = read
      .filter((source) => source !== undefined)
      .filter(({ scheme }) => backendOfScheme(scheme) !== undefined);
    const names = new Set(known.map((source) => location.format(source)));
    return known.length === read.length && names.size === known.length ? known : undefined;
  },
  format: (sources) => sources.map((source) => location.format(source)).join(','),
};

/** The sources and limits of table previews. */
export const preview = {
  sources: optionalSetting({
    key: 'controller.preview.source.paths',
    kind: sources,
    live: true,
    meaning:
      'The directories, files and buckets whose files admins may preview, and load into tables by URI and by tasks; links and `..` that point outside them are not ' +
      'followed. Relative `sourceFiles` are resolved against each directory. Without it, previews accept `sourceRows` only. Buckets are accessed ' +
      'with the settings of `engine.broker.pagination` for their store, and need only the permissions to list and to read.',
  }),
  bodyBytesMax: setting({
    key: 'controller.preview.body.maxMB',
    kind: size('MB', 1, 1024),
    default: '16',
    meaning: 'The maximum size of the body of a preview, which contains its rows.',
  }),
  rowsMax: setting({
    key: 'controller.preview.rows.max',
    kind: integer(1, 1_000_000),
    default: '10000',
    live: true,
    meaning: 'The maximum number of rows of one preview; further ones are omitted, with a finding.',
  }),
  bytesMax: setting({
    key: 'controller.preview.read.maxMB',
    kind: size('MB', 1, 16_384),
    default: '64',
    live: true,
    meaning: 'The maximum size of the data that one preview reads from files, after decompression.',
  }),
  rowBytesMax: setting({
    key: 'controller.preview.row.maxKB',
    kind: size('KB', 1, 1_048_576),
    default: '4096',
    live: true,
    meaning: 'The maximum length of a row of a file; reading the file ends at a longer one.',
  }),
  filesMax: setting({
    key: 'controller.preview.files.max',
    kind: integer(1, 10_000),
    default: '100',
    live: true,
    meaning: 'The maximum number of files that one preview reads, whatever it requests.',
  }),
  digitsMax: setting({
    key: 'controller.preview.number.maxDigits',
    kind: integer(20, 10_000),
    default: '1000',
    live: true,
    meaning:
      'The maximum number of digits of an integer in a preview. A body with a longer one is refused; a row of a file is omitted.',
  }),
  valueBytesMax: setting({
    key: 'controller.preview.value.maxKB',
    kind: size('KB', 1, 65_536),
    default: '4096',
    live: true,
    meaning:
      'The maximum size of a value in a row of a preview; rows with a larger one are omitted, with a finding.',
  }),
  columnsMax: setting({
    key: 'controller.preview.columns.max',
    kind: integer(1, 100_000),
    default: '5000',
    live: true,
    meaning:
      'The maximum number of columns in all rows of a preview, including those of nested objects; rows that add more are omitted, with a ' +
      'finding.',
  }),
  rowsBytesMax: setting({
    key: 'controller.preview.rows.maxMB',
    kind: size('MB', 1, 1024),
    default: '64',
    live: true,
    meaning:
      'The maximum size of the values in all rows of a preview, and separately of the results of its transforms and other steps, whether ' +
      'they are kept or not. Rows after that are omitted, with a finding.',
  }),
  answerBytesMax: setting({
    key: 'controller.preview.answer.maxMB',
    kind: size('MB', 1, 1024),
    default: '32',
    live: true,
    meaning:
      'The maximum size of the answer of a preview; rows that would make it longer are omitted, with a finding.',
  }),
  timeMaxMs: setting({
    key: 'controller.preview.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning: 'The timeout of one preview, which then answers with its rows so far, and a finding.',
  }),
  concurrencyMax: setting({
    key: 'controller.preview.concurrency',
    kind: integer(1, 1024),
    default: '4',
    live: true,
    meaning:
      'The number of concurrent previews; further ones wait, and principals take turns. While others wait, at most half are of one principal. If there are three or more, one ' +
      'is reserved for admins.',
  }),
  waitingMax: setting({
    key: 'controller.preview.queue',
    kind: integer(0, 1024),
    default: '8',
    live: true,
    meaning:
      'The number of waiting previews, each with its body in memory; further ones are answered with 429. Beyond it, only those of admins wait, and those ' +
      'of principals that have less than an equal share of the queue.',
  }),
  principalWaitingMax: setting({
    key: 'controller.preview.queue.principal',
    kind: integer(0, 1024),
    default: '4',
    live: true,
    meaning: 'The number of waiting previews of one principal; further ones are answered with 429.',
  }),
};
