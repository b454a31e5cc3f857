import { type Data, DataType, TimeUnit } from 'apache-arrow';

/**
 * A cell as DuckDB casts it to text; lists, structs and maps are JavaScript values with such texts.
 */
export type CellText = string | null | CellText[] | { [name: string]: CellText };

/**
 * Renders one cell directly from Arrow's buffers, by the rules of the Arrow format, without code of
 * the engine.
 */
export function cellText(data: Data, row: number): CellText {
  const { type } = data;
  if (data.nullCount > 0 && ((data.nullBitmap[row >> 3]! >> (row & 7)) & 1) === 0) return null;
  if (DataType.isBool(type)) return String(((data.values[row >> 3] >> (row & 7)) & 1) === 1);
  if (DataType.isInt(type)) return String(data.values[row]);
  if (DataType.isFloat(type)) return floatText(data.values[row] as number);
  if (DataType.isDecimal(type)) {
    return decimalText(int128(data.values as Uint32Array, row), type.precision, type.scale);
  }
  if (DataType.isDate(type)) return dateText(data.values[row] as number);
  if (DataType.isTime(type)) return timeText(data.values[row] as bigint, type.unit);
  if (DataType.isTimestamp(type)) {
    return timestampText(
      data.values[row] as bigint,
      type.unit,
      type.timezone === 'UTC' ? '+00' : '',
    );
  }
  if (DataType.isUtf8(type)) {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(data, row));
  }
  if (DataType.isBinary(type)) return Buffer.from(bytesOf(data, row)).toString('hex').toUpperCase();
  if (DataType.isFixedSizeBinary(type)) {
    return uuidText((data.values as Uint8Array).subarray(row * 16, row * 16 + 16));
  }
  if (DataType.isList(type)) {
    return elements(data.children[0]!, data.valueOffsets[row], data.valueOffsets[row + 1]);
  }
  if (DataType.isFixedSizeList(type)) {
    return elements(data.children[0]!, row * type.listSize, (row + 1) * type.listSize);
  }
  if (DataType.isStruct(type)) {
    return Object.fromEntries(
      type.children.map(({ name }, index) => [name, cellText(data.children[index]!, row)]),
    );
  }
  if (DataType.isMap(type)) {
    const [keys, values] = data.children[0]!.children;
    const from = data.valueOffsets[row] as number;
    const names = elements(keys!, from, data.valueOffsets[row + 1]);
    return Object.fromEntries(
      names.map((name, index) => [name as string, cellText(values!, from + index)]),
    );
  }
  throw new TypeError(`The tests cannot show type ${data.typeId}.`);
}

export function floatText(value: number): string {
  // JavaScript and DuckDB write the same shortest digits, but place the exponent differently:
  // compare by value.
  return Number.isFinite(value)
    ? Object.is(value, -0)
      ? '-0'
      : String(value)
    : String(value).toLowerCase().replace('infinity', 'inf');
}

function elements(data: Data, start: number, end: number): CellText[] {
  return Array.from({ length: end - start }, (_, index) => cellText(data, start + index));
}

function bytesOf(data: Data, row: number): Uint8Array {
  return (data.values as Uint8Array).subarray(data.valueOffsets[row], data.valueOffsets[row + 1]);
}

function int128(words: Uint32Array, row: number): bigint {
  const word = (index: number): bigint => BigInt(words[row * 4 + index]!);
  return BigInt.asIntN(128, word(0) | (word(1) << 32n) | (word(2) << 64n) | (word(3) << 96n));
}

function decimalText(unscaled: bigint, precision: number, scale: number): string {
  // DuckDB shows no digit before the point if the type has none.
  const integerDigitsMin = precision === scale ? 0 : 1;
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(
    scale + integerDigitsMin,
    '0',
  );
  const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction}`;
}

const infiniteDay = 2 ** 31 - 1;
const infiniteTime = 2n ** 63n - 1n;

function dateText(days: number): string {
  if (Math.abs(days) === infiniteDay) return days < 0 ? '-infinity' : 'infinity';
  const { year, month, day } = civil(days);
  const text = `${String(year > 0 ? year : 1 - year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
  return year > 0 ? text : `${text} (BC)`;
}

/**
 * Converts days since 1970 to a date of the proleptic Gregorian calendar, counted in eras of 400
 * years that start in March.
 */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

const fractionDigits: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

function timeText(value: bigint, unit: TimeUnit): string {
  const perSecond = 10n ** BigInt(fractionDigits[unit]);
  const seconds = Number(value / perSecond);
  const fraction = String(value % perSecond)
    .padStart(fractionDigits[unit], '0')
    .replace(/0+$/, '');
  const clock = `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  return fraction === '' || fractionDigits[unit] === 0 ? clock : `${clock}.${fraction}`;
}

function timestampText(value: bigint, unit: TimeUnit, zone: string): string {
  if (value === infiniteTime || value === -infiniteTime) {
    return value < 0n ? '-infinity' : 'infinity';
  }
  const perDay = 86_400n * 10n ** BigInt(fractionDigits[unit]);
  const timeOfDay = ((value % perDay) + perDay) % perDay;
  return `${dateText(Number((value - timeOfDay) / perDay))} ${timeText(timeOfDay, unit)}${zone}`;
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
