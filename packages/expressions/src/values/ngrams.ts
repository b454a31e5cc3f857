import { expressionFailed } from '../language/expression-error.ts';
import { checkTextLength } from './long-text.ts';

const ngramCountMax = 100_000;

/** All pieces of these lengths, each once. @throws EXPRESSION_FAILED when there are too many, or all together too long */
export function ngramsOf(given: string, lengthMin: number, lengthMax: number): readonly string[] {
  const found = new Set<string>();
  let size = 0;
  for (let length = Math.max(1, lengthMin); length <= Math.min(lengthMax, given.length); length += 1) {
    const count = given.length - length + 1;
    size += count * length;
    checkTextLength(size);
    if (found.size + count > ngramCountMax) throw expressionFailed(`A text of ${given.length} characters has too many pieces.`);
    for (let start = 0; start < count; start += 1) found.add(given.slice(start, start + length));
  }
  return [...found];
}
