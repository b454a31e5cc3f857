import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Reads an option that is an integer of at least `minimum`. */
export function integerFrom(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`Expected an integer of at least ${minimum}.`);
  };
}
