/** Strings, punctuation, and the words and numbers between them. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Longer texts are not indented: millions of tokens take seconds, or exceed the stack. */
const indentedLengthMax = 1_000_000;

/**
 * Returns JSON with its members on lines of their own, indented by two spaces, and with all digits,
 * escapes and repeated names as they were. Text that is not JSON, or very long, is unchanged.
 */
export function indentJson(text: string): string {
  if (text.length > indentedLengthMax) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const pieces: string[] = [];
  let depth = 0;
  let previous = '';
  const breakLine = (): void => {
    pieces.push(`\n${'  '.repeat(depth)}`);
  };
  for (const [token] of text.matchAll(tokens)) {
    const isEmpty = previous === '{' || previous === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isEmpty) breakLine();
    } else if (isEmpty) breakLine();
    pieces.push(token === ':' ? ': ' : token);
    if (token === ',') breakLine();
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return pieces.join('');
}
