import { expect, it } from 'vitest';
import { keyOfKeypress } from '../src/environment.ts';

it.each([
  ['n', { name: 'n' }, 'n'],
  ['G', { name: 'g', shift: true }, 'G'],
  ['+', {}, '+'],
  [' ', { name: 'space' }, 'space'],
  ['\r', { name: 'return' }, 'return'],
  ['\n', { name: 'enter' }, 'return'],
  ['\u007f', { name: 'backspace' }, 'backspace'],
  [undefined, { name: 'right' }, 'right'],
  ['\u0003', { name: 'c', ctrl: true }, 'ctrl+c'],
  ['ä', { name: 'ä' }, undefined],
  [undefined, { name: 'f5' }, undefined],
])('the keypress %j, %j is the key %s', (character, keypress, key) => {
  expect(keyOfKeypress(character, keypress)).toBe(key);
});
