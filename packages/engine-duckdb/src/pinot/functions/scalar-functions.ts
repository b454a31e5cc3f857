import { arrayFunctions } from './arrays.ts';
import type { FunctionTable } from './function-rule.ts';
import { jsonFunctions } from './json.ts';
import { numberFunctions } from './numbers.ts';
import { stringFunctions } from './strings.ts';
import { timeFunctions } from './times.ts';

/** Functions of the values of one row. */
export const scalarFunctions: FunctionTable = {
  ...numberFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...arrayFunctions,
  ...jsonFunctions,
};
