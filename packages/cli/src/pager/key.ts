/** A key as people name it: a character (`n`, `+`, `G`), or `left`, `space`, `return`, `escape`, `ctrl+c` … */
export type Key = string;

/** What Node's readline tells of a keypress, as far as we use it. */
interface Keypress {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

const namedKeys = new Set([
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'pageup',
  'pagedown',
  'return',
  'escape',
  'backspace',
  'space',
]);

/** Names a keypress of Node's readline; undefined for keys that nobody could mean. */
export function keyOfKeypress(character: string | undefined, keypress: Keypress): Key | undefined {
  const { name } = keypress;
  if (keypress.ctrl === true) return name === undefined ? undefined : `ctrl+${name}`;
  if (name === 'enter') return 'return';
  if (name === 'delete') return 'backspace';
  if (name !== undefined && namedKeys.has(name)) return name;
  if (character !== undefined && /^[!-~]$/.test(character)) return character;
  return undefined;
}
