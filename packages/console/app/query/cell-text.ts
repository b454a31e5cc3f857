import { type DataType, TimeUnit, Type } from '@uwdata/flechette';

/**
 * Returns a cell of an Arrow page as text, by the rules of the API's JSON cells (`packages/api`):
 * null stays null, integers keep all digits, timestamps are in UTC with only the necessary digits.
 */
export function cellText(value: unknown, type: DataType): string | null {
  if (value === null || value === undefined) return null;
  const plain = plainOf(value, type);
  return typeof plain === 'string' ? plain : encodeJson(plain);
}

/**
 * Returns a cell as JSON: as `cellText`, except that numbers, booleans and nested values are kept.
 */
export function cellJson(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  return plainOf(value, type);
}

/** Returns the JSON of nested values, with integers of 64 bits as digits. */
export function encodeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((element) => encodeJson(element)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${encodeJson(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

function plainOf(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  switch (type.typeId) {
    case Type.Float:
      return floatOf(Number(value), type.precision === 1);
    case Type.Decimal:
      return decimalText(value as bigint | number, type.scale);
    case Type.Date:
      return new Date(Number(value)).toISOString().slice(0, 10);
    case Type.Timestamp:
      return typeof value === 'bigint'
        ? timestampText(value, type.unit)
        : timestampText(BigInt(Math.round(Number(value))), TimeUnit.MILLISECOND);
    case Type.Time:
      return timeText(BigInt(value as bigint | number), type.unit);
    case Type.Binary:
    case Type.LargeBinary:
    case Type.FixedSizeBinary:
      return Array.from(value as Uint8Array, (byte) => byte.toString(16).padStart(2, '0')).join('');
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList: {
      const element = type.children[0];
      return element === undefined
        ? []
        : Array.from(value as Iterable<unknown>, (each) => plainOf(each, element.type));
    }
    case Type.Struct:
      return Object.fromEntries(
        type.children.map(({ name, type: member }) => [
          name,
          plainOf((value as Record<string, unknown>)[name], member),
        ]),
      );
    case Type.Map:
      return mapOf(value as Iterable<readonly [unknown, unknown]>, type.children[0]?.type);
    default:
      return typeof value === 'object' ? encodeJson(value) : value;
  }
}

function mapOf(
  entries: Iterable<readonly [unknown, unknown]>,
  entryType: DataType | undefined,
): Record<string, unknown> {
  const [keyType, valueType] =
    entryType?.typeId === Type.Struct ? entryType.children.map(({ type }) => type) : [];
  return Object.fromEntries(
    [...entries].map(([key, value]) => [
      String(keyType === undefined ? key : plainOf(key, keyType)),
      valueType === undefined ? value : plainOf(value, valueType),
    ]),
  );
}

/** Returns the shortest text that reads back as the same float, of 32 bits if it has 32. */
function floatOf(value: number, isSingle: boolean): number | string {
  if (!Number.isFinite(value)) return String(value);
  if (!isSingle) return value;
  for (let digits = 6; digits < 9; digits += 1) {
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

function timestampText(value: bigint, unit: number): string {
  const perSecond = 10n ** BigInt(fractionDigits[unit] ?? 0);
  const seconds = floorDivide(value, perSecond);
  const fraction = value - seconds * perSecond;
  const date = new Date(Number(seconds) * 1000);
  // Outside the range of a Date, the stored number is shown.
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString().replace('T', ' ').slice(0, -5);
  return `${text}.${fractionText(fraction, unit) || '0'}`;
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
