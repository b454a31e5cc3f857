import { styleText } from 'node:util';
import type { Environment } from './environment.ts';
import type { Output } from './output.ts';

/** Text styles; each returns its text unchanged if there are no colours. */
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
 * Returns the styles for an output: colours on a terminal, unless NO_COLOR or a dumb terminal
 * forbids them (https://no-color.org).
 */
export function stylesFor(output: Output, variables: Environment['variables']): Styles {
  const forbidden = (variables['NO_COLOR'] ?? '') !== '' || variables['TERM'] === 'dumb';
  return output.isTerminal && !forbidden ? colourStyles : plainStyles;
}

function style(format: Parameters<typeof styleText>[0]): (text: string) => string {
  // The function above has decided whether the stream supports colours, from the injected
  // environment.
  return (text) => styleText(format, text, { validateStream: false });
}
