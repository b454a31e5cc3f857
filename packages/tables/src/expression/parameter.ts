import type { SourceValue } from '../row.ts';

/** The value of an argument that is present. */
export type PresentValue = Exclude<SourceValue, null>;

/** What a function takes in one place: how the documentation names it, and how a value becomes one. */
export interface Parameter<T> {
  /** Short, as it stands in signatures: text, integer, pattern. */
  readonly type: string;
  /** When true, the function is called with null; otherwise a null argument makes the whole call null. */
  readonly takesNull?: boolean;
  /**
   * Converts an argument's value.
   *
   * @param place what to call the argument in a message
   * @throws EXPRESSION_FAILED when the value is none of this type
   */
  read(value: PresentValue, place: string): T;
}

/** The same parameter, whose function is also called with null. */
export function nullable<T>(parameter: Parameter<T>): Parameter<T | null> {
  return { type: `${parameter.type}?`, takesNull: true, read: (value, place) => parameter.read(value, place) };
}
