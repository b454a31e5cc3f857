import { styleText } from 'node:util';
import type { Environment, Output } from './environment.ts';

/** Ways to set text off; each returns its text unchanged where there are no colours. */
export interface Styles {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

export const plainStyles: Styles = {
  strong: (text) => text,
  faint: (text) => text,
  good: (text) => text,
  bad: (text) => text,
};

const colourStyles: Styles = {
  strong: style('bold'),
  faint: style('dim'),
  good: style('green'),
  bad: style('red'),
};

/**
 * The styles for an output: colours on a terminal, unless NO_COLOR or a dumb terminal forbids
 * (https://no-color.org).
 */
export function stylesFor(output: Output, variables: Environment['variables']): Styles {
  const forbidden = (variables['NO_COLOR'] ?? '') !== '' || variables['TERM'] === 'dumb';
  return output.isTerminal && !forbidden ? colourStyles : plainStyles;
}

function style(format: Parameters<typeof styleText>[0]): (text: string) => string {
  // Whether the stream takes colours is decided above, from the injected environment.
  return (text) => styleText(format, text, { validateStream: false });
}
