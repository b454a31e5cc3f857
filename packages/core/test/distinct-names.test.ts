import { distinctNames } from '@quire/core/portable';
import { expect, test } from 'vitest';

test('columns of one name, in whatever case, and of none, get names of their own', () => {
  expect(distinctNames(['a', 'A', '', 'a_1', 'a', 'column2'])).toEqual([
    'a',
    'A_1',
    'column2',
    'a_1_1',
    'a_2',
    'column2_1',
  ]);
});
