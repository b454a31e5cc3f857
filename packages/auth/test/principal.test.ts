import { QuireError } from '@quire/core';
import { mayRead, type Principal, requireRole } from '@quire/auth';
import { describe, expect, test } from 'vitest';

const admin: Principal = { name: 'ann', role: 'admin' };
const analyst: Principal = { name: 'bob', role: 'query' };

describe('requireRole', () => {
  test('requireRole lets a principal with the role pass, and an admin always', () => {
    expect(() => {
      requireRole(analyst, 'query');
      requireRole(admin, 'query');
      requireRole(admin, 'admin');
    }).not.toThrow();
  });

  test('requireRole refuses the others', () => {
    expect(() => requireRole(analyst, 'admin')).toThrow(
      new QuireError('FORBIDDEN', 'This call needs the role admin, which bob does not have.'),
    );
  });
});

test.each([
  [analyst, 'bob', true],
  [analyst, 'ann', false],
  [analyst, 'BOB', false],
  [admin, 'ann', true],
  [admin, 'bob', true],
])('mayRead(%j, %s) is %s', (principal, owner, expected) => {
  expect(mayRead(principal, owner)).toBe(expected);
});
