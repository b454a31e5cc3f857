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

/** Directories, files and buckets, separated by commas; each of them once. */
const sources: SettingKind<readonly StoreLocation[]> = {
  allowed: `a list separated by commas, of which each is ${location.allowed}`,
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

/** What previews of tables may read, and how much they may take. */
export const preview = {
  sources: optionalSetting({
    key: 'controller.preview.source.paths',
    kind: sources,
    live: true,
    meaning:
      'The directories, files and buckets whose files previews may sample, for admins; links and `..` that lead out of them are not ' +
      'followed. Relative `sourceFiles` start from each directory. Without it, previews take `sourceRows` only. Buckets are reached ' +
      'by the settings of `engine.broker.pagination` for their store.',
  }),
  bodyBytesMax: setting({
    key: 'controller.preview.body.maxMB',
    kind: size('MB', 1, 1024),
    default: '16',
    meaning: 'The largest body of a preview, which holds its rows.',
  }),
  rowsMax: setting({
    key: 'controller.preview.rows.max',
    kind: integer(1, 1_000_000),
    default: '10000',
    live: true,
    meaning: 'The most rows of one preview; further ones are left out, which a finding says.',
  }),
  bytesMax: setting({
    key: 'controller.preview.read.maxMB',
    kind: size('MB', 1, 16_384),
    default: '64',
    live: true,
    meaning: 'The most that one preview reads of files, as it is after decompression.',
  }),
  rowBytesMax: setting({
    key: 'controller.preview.row.maxKB',
    kind: size('KB', 1, 1_048_576),
    default: '4096',
    live: true,
    meaning: 'The longest row of a file; a longer one ends the reading of its file.',
  }),
  filesMax: setting({
    key: 'controller.preview.files.max',
    kind: integer(1, 10_000),
    default: '100',
    live: true,
    meaning: 'The most files that one preview reads, whatever it asks for.',
  }),
  digitsMax: setting({
    key: 'controller.preview.number.maxDigits',
    kind: integer(20, 10_000),
    default: '1000',
    live: true,
    meaning:
      'The most digits of an integer of a preview. A body with a longer one is refused, a row of a file left out.',
  }),
  valueBytesMax: setting({
    key: 'controller.preview.value.maxKB',
    kind: size('KB', 1, 65_536),
    default: '4096',
    live: true,
    meaning:
      'The largest value of a row of a preview; rows with a larger one are left out, which a finding says.',
  }),
  columnsMax: setting({
    key: 'controller.preview.columns.max',
    kind: integer(1, 100_000),
    default: '5000',
    live: true,
    meaning:
      'The most columns of all rows of a preview, those of nested objects among them; rows that bring more are left out, which a ' +
      'finding says.',
  }),
  rowsBytesMax: setting({
    key: 'controller.preview.rows.maxMB',
    kind: size('MB', 1, 1024),
    default: '64',
    live: true,
    meaning:
      'The most that the values of all rows of a preview have, and again what its transforms and other steps make of them, whether ' +
      'it is kept or not. Rows behind that are left out, which a finding says.',
  }),
  answerBytesMax: setting({
    key: 'controller.preview.answer.maxMB',
    kind: size('MB', 1, 1024),
    default: '32',
    live: true,
    meaning:
      'The longest answer of a preview; rows that would make it longer are left out, which a finding says.',
  }),
  timeMaxMs: setting({
    key: 'controller.preview.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    live: true,
    meaning:
      'How long one preview may take; after that it answers with what it has, and a finding.',
  }),
  concurrencyMax: setting({
    key: 'controller.preview.concurrency',
    kind: integer(1, 1024),
    default: '4',
    live: true,
    meaning:
      'How many previews run at once; further ones wait, and principals take turns. While others wait, at most half are of one principal; one is ' +
      'only for admins, where there are three or more.',
  }),
  waitingMax: setting({
    key: 'controller.preview.queue',
    kind: integer(0, 1024),
    default: '8',
    live: true,
    meaning:
      'How many previews may wait, each with its body in memory; one more is answered with 429. Beyond it only those of admins wait, and those ' +
      'of principals that have less than an equal share of the queue.',
  }),
  principalWaitingMax: setting({
    key: 'controller.preview.queue.principal',
    kind: integer(0, 1024),
    default: '4',
    live: true,
    meaning: 'How many previews of one principal may wait; one more is answered with 429.',
  }),
};
