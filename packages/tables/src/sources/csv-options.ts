import type { CsvOptions } from './formats/row-reading.ts';

type BatchConfig = Readonly<Record<string, unknown>>;

/** What a batch config says of how CSV is written. */
export function csvOptionsOf(batchConfig: BatchConfig): CsvOptions {
  const header = textOf(batchConfig, 'recordReader.prop.header');
  const delimiter = textOf(batchConfig, 'recordReader.prop.delimiter');
  return {
    delimiter: delimiter === '\\t' ? '\t' : delimiter,
    listDelimiter: textOf(batchConfig, 'recordReader.prop.multiValueDelimiter'),
    header: header?.split(delimiter ?? ',').map((name) => name.trim()),
  };
}

/** A member of a batch config that is text and not empty. */
export function textOf(batchConfig: BatchConfig, member: string): string | undefined {
  const value = Object.hasOwn(batchConfig, member) ? batchConfig[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
