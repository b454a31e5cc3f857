import { crc32 } from 'node:zlib';
import { QuireError } from './errors.ts';
import { type JsonValue, parseLosslessJson, writeLosslessJson } from './lossless-json.ts';

/**
 * The identity of a record: its kind and its subject. It detects a record that was copied over
 * another one.
 */
export interface RecordIdentity {
  readonly kind: string;
  readonly subject: string;
}

/** The content of a record and its revision. */
export interface UnsealedRecord {
  /** Increases with each change; 0 for a record written before records had checksums. */
  readonly revision: number;
  readonly content: JsonValue;
}

/** The current format. Records of format 1 had no checksum. */
const formatVersion = 2;
const sealPattern = /,"checksum":"([0-9a-f]{8})"\}\n$/;

/**
 * Returns the text of a record: one line of JSON that identifies the record and ends with the
 * CRC-32 of everything before it.
 *
 * @param options.revision a number greater than that of the record that it replaces
 */
export function sealRecord(
  { kind, subject }: RecordIdentity,
  { revision, content }: { readonly revision: number; readonly content: object },
): string {
  const body = writeLosslessJson({ formatVersion, kind, subject, revision, content }).slice(0, -1);
  return `${body},"checksum":"${checksumOf(body)}"}\n`;
}

/**
 * Parses the text that `sealRecord` wrote. The text of a format 1 record, which has no checksum, is
 * its content.
 *
 * @throws RECORD_DAMAGED when the text is not a valid record of this identity; the message
 *   completes a sentence about the file
 */
export function unsealRecord(text: string, { kind, subject }: RecordIdentity): UnsealedRecord {
  const checksum = sealPattern.exec(text)?.[1];
  if (checksum === undefined) return { revision: 0, content: parseUnsealed(text) };
  const body = text.slice(0, -sealLength);
  if (checksumOf(body) !== checksum) {
    throw damaged('does not match its checksum');
  }
  const record = parseJson(`${body}}`) as unknown as Readonly<Record<string, JsonValue>>;
  if (record['formatVersion'] !== formatVersion) throw unknownFormat(record['formatVersion']);
  if (record['kind'] !== kind || record['subject'] !== subject) {
    throw damaged(
      `is the ${shown(record['kind'])} record of ${shown(record['subject'])}, not the ${kind} record of ${subject}`,
    );
  }
  return { revision: Number(record['revision']), content: record['content'] ?? null };
}

/** Length of `,"checksum":"01234567"}` and a newline. */
const sealLength = 24;

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function parseUnsealed(text: string): JsonValue {
  if (text.trim() === '') throw damaged('is empty');
  const document = parseJson(text);
  const version =
    typeof document === 'object' && document !== null && 'formatVersion' in document
      ? document.formatVersion
      : undefined;
  if (version === 1) return document;
  throw version === formatVersion ? damaged('has no checksum') : unknownFormat(version);
}

function parseJson(text: string): JsonValue {
  try {
    return parseLosslessJson(text);
  } catch (cause) {
    throw damaged('is torn or overwritten: it is not JSON', cause);
  }
}

function unknownFormat(version: unknown): QuireError {
  return damaged(`has format ${shown(version)}; this release reads formats 1 and ${formatVersion}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, 200)
    : 'unknown';
}

function damaged(problem: string, cause?: unknown): QuireError {
  return new QuireError('RECORD_DAMAGED', problem, { cause });
}
