import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { anything } from '../parameters.ts';
import { compareValues } from '../values/compare.ts';

function comparison(
  name: string,
  aliases: readonly string[],
  sign: string,
  holds: (order: number) => boolean,
): FunctionDefinition {
  return scalar({
    name,
    aliases,
    takes: [anything, anything],
    returns: 'boolean',
    does: `The operator \`${sign}\`.`,
    evaluate: (left, right) => holds(compareValues(left, right)),
  });
}

/** Comparisons; with null they are null. A number and a text compare as numbers where the text is one. */
export const comparisonFunctions: readonly FunctionDefinition[] = [
  comparison('equals', ['eq'], '=', (order) => order === 0),
  comparison('notEquals', ['ne'], '<>', (order) => order !== 0),
  comparison('lessThan', ['lt'], '<', (order) => order < 0),
  comparison('lessThanOrEqual', ['lte', 'lessThanOrEquals'], '<=', (order) => order <= 0),
  comparison('greaterThan', ['gt'], '>', (order) => order > 0),
  comparison('greaterThanOrEqual', ['gte', 'greaterThanOrEquals'], '>=', (order) => order >= 0),
  scalar({
    name: 'between',
    takes: [anything, anything, anything],
    returns: 'boolean',
    does: 'Whether the first is at least the second and at most the third; the operator `BETWEEN … AND …`.',
    evaluate: (value, low, high) => compareValues(value, low) >= 0 && compareValues(value, high) <= 0,
  }),
];
