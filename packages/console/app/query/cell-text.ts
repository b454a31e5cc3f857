import { type DataType, type Field, Precision, TimeUnit, Type } from '@uwdata/flechette';

/** The part of an Arrow field that determines the text of its cells. */
export type CellField = Pick<Field, 'type'> & { readonly metadata?: Field['metadata'] };

/** JSON as text: it has the members in their order, and all digits. */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns a cell of an Arrow page as text, by the rules of the API's JSON cells (`packages/api`):
 * null stays null, integers keep all digits, timestamps are in UTC with only the necessary digits.
 */
export function cellText(value: unknown, field: CellField): string | null {
  if (value === null || value === undefined) return null;
  const plain = plainOf(value, field);
  return typeof plain === 'string' ? plain : encodeJson(plain);
}

/**
 * Returns a cell as JSON: as `cellText`, except that numbers and booleans are kept, and nested
 * values are a `JsonText`.
 */
export function cellJson(value: unknown, field: CellField): unknown {
  if (value === null || value === undefined) return null;
  return plainOf(value, field);
}

/** Returns the JSON of nested values, with integers of 64 bits as digits. */
export function encodeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof JsonText) return value.text;
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map((element) => encodeJson(element)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${encodeJson(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function plainOf(value: unknown, { type, metadata }: CellField): unknown {
  switch (type.typeId) {
    case Type.Dictionary:
      return plainOf(value, { type: type.dictionary });
    case Type.Int:
      // Large unsigned integers are decimals to clients: texts in JSON.
      return type.bitWidth === 64 && !type.signed ? String(value) : value;
    case Type.Float:
      return floatOf(Number(value), type.precision !== Precision.DOUBLE);
    case Type.Decimal:
      return decimalText(value as bigint | number, type.scale);
    case Type.Date:
      return dateText(Math.floor(Number(value) / dayMs));
    case Type.Timestamp:
      return timestampText(BigInt(value as bigint | number), type.unit);
    case Type.Time:
      return timeText(BigInt(value as bigint | number), type.unit);
    case Type.FixedSizeBinary:
      return type.stride === 16 && extensionOf(metadata) === 'arrow.uuid'
        ? hexOf(value as Uint8Array).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
        : hexOf(value as Uint8Array);
    case Type.Binary:
    case Type.LargeBinary:
      return hexOf(value as Uint8Array);
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList: {
      const [element] = type.children as readonly [Field];
      const elements = Array.from(value as Iterable<unknown>, (each) => nestedJson(each, element));
      return new JsonText(`[${elements.join(',')}]`);
    }
    case Type.Struct: {
      const record = value as Readonly<Record<string, unknown>>;
      const members = type.children.map(
        (member) => `${JSON.stringify(member.name)}:${nestedJson(record[member.name], member)}`,
      );
      return new JsonText(`{${members.join(',')}}`);
    }
    case Type.Map:
      return mapJson(value as Iterable<readonly [unknown, unknown]>, type.children[0]?.type);
    default:
      return typeof value === 'object' ? encodeJson(value) : value;
  }
}

/** Returns the JSON of a value within another, where JSON text is not a string. */
function nestedJson(value: unknown, field: CellField): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string' && extensionOf(field.metadata) === 'arrow.json' && isJson(value)) {
    // Only between tokens.
    return value.replaceAll(/[\t\n\r]/g, ' ');
  }
  return encodeJson(plainOf(value, field));
}

/** Keys that are not strings become strings that hold their JSON. */
function mapJson(
  entries: Iterable<readonly [unknown, unknown]>,
  entryType: DataType | undefined,
): JsonText {
  if (entryType?.typeId !== Type.Struct) return new JsonText('{}');
  const [keyField, valueField] = entryType.children as unknown as readonly [Field, Field];
  const members = Array.from(entries, ([key, value]) => {
    const name = nestedJson(key, keyField);
    return `${name.startsWith('"') ? name : JSON.stringify(name)}:${nestedJson(value, valueField)}`;
  });
  return new JsonText(`{${members.join(',')}}`);
}

function extensionOf(metadata: Field['metadata'] | undefined): string | undefined {
  return metadata?.get('ARROW:extension:name');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the shortest text that reads back as the same float, of 32 bits if it has 32. */
function floatOf(value: number, isSingle: boolean): number | string {
  if (!Number.isFinite(value)) return String(value);
  if (!isSingle) return value;
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

function decimalText(value: bigint | number, scale: number): string {
  const whole = BigInt(value);
  if (scale <= 0) return String(whole * 10n ** BigInt(-scale));
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0');
  return `${whole < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The digits of fractional seconds, by unit. */
const fractionDigits: Readonly<Record<number, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

const dayMs = 86_400_000;
/** Dates repeat after 400 years, which have this number of days. */
const daysPerCycle = 146_097;
/** The numbers that stand for the infinities, of dates in days and of timestamps. */
const infinities = { day: 2 ** 31 - 1, timestamp: 2n ** 63n - 1n };

function dateText(days: number): string {
  if (Math.abs(days) >= infinities.day) return days > 0 ? 'infinity' : '-infinity';
  return dayText(days);
}

/** Returns a day of any year: a Date has some 270,000. */
function dayText(days: number): string {
  const cycle = Math.floor(days / daysPerCycle);
  const date = new Date((days - cycle * daysPerCycle) * dayMs);
  const year = date.getUTCFullYear() + cycle * 400;
  const shown = String(year > 0 ? year : 1 - year).padStart(4, '0');
  return `${shown}-${date.toISOString().slice(5, 10)}${year > 0 ? '' : ' (BC)'}`;
}

function timestampText(value: bigint, unit: number): string {
  if (value >= infinities.timestamp) return 'infinity';
  if (value <= -infinities.timestamp) return '-infinity';
  const perSecond = 10n ** BigInt(fractionDigits[unit] ?? 0);
  const seconds = floorDivide(value, perSecond);
  const fraction = value - seconds * perSecond;
  const days = floorDivide(seconds, 86_400n);
  const day = dayText(Number(days));
  const time = timeText(seconds - days * 86_400n, TimeUnit.SECOND);
  return `${day} ${time}.${fractionText(fraction, unit) || '0'}`;
}

function timeText(value: bigint, unit: number): string {
  const perSecond = 10n ** BigInt(fractionDigits[unit] ?? 0);
  const seconds = value / perSecond;
  const fraction = fractionText(value % perSecond, unit);
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return fraction === '' ? clock : `${clock}.${fraction}`;
}

function fractionText(fraction: bigint, unit: number): string {
  const digits = fractionDigits[unit] ?? 0;
  return digits === 0 ? '' : String(fraction).padStart(digits, '0').replace(/0+$/, '');
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}
