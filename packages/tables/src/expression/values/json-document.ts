import type { SourceValue } from '../../row.ts';
import type { Parameter, PresentValue } from '../parameter.ts';
import { parseJson } from './json.ts';

/** The last text that was parsed: several transforms of a row mostly look into the same column. */
const last: { text: string; value: SourceValue } = { text: 'null', value: null };

/** A document to look into: text that holds JSON is parsed, anything else is taken as it is. */
export const jsonDocument: Parameter<() => SourceValue> = {
  type: 'json',
  // Parsing waits until the function asks, which may have a default for text that is not JSON.
  read: (value) => () => openDocument(value),
};

function openDocument(value: PresentValue): SourceValue {
  if (typeof value !== 'string') return value;
  if (last.text !== value) {
    last.value = parseJson(value);
    last.text = value;
  }
  return last.value;
}
