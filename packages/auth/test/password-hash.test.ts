import { SeededRandom } from '@quire/core/testing';
import { Authenticator, hashPassword, hashToken } from '@quire/auth';
import { describe, expect, test } from 'vitest';
import { deriveKey, formatScryptHash, parseScryptHash } from '../src/scrypt-hash.ts';
import { basic, parseWith } from './principal-builder.ts';

describe('hashPassword', () => {
  test('hashPassword makes what a principal with that password can log in with', async () => {
    const passwordScrypt = await hashPassword('correct horse', { random: new SeededRandom(1) });
    expect(passwordScrypt).toMatch(/^scrypt:32768:8:1:[A-Za-z0-9+/]{22}==:[A-Za-z0-9+/]{43}=$/);
    const authenticator = new Authenticator(
      await parseWith([{ name: 'dee', role: 'query', passwordScrypt }]),
    );
    expect(await authenticator.authenticate(basic('dee', 'correct horse'))).toEqual({
      name: 'dee',
      role: 'query',
    });
  });

  test('salts: the same password gives another hash each time', async () => {
    const random = new SeededRandom(1);
    expect(await hashPassword('x', { random })).not.toBe(await hashPassword('x', { random }));
  });
});

test('hashToken is the plain SHA-256 in hexadecimal', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

describe('scrypt hashes', () => {
  test('scrypt hashes derive what RFC 7914 section 12 says', async () => {
    const parameters = { cost: 1024, blockSize: 8, parallelization: 16, salt: Buffer.from('NaCl') };
    const key = await deriveKey('password', parameters, 64);
    expect(Buffer.from(key).toString('hex')).toBe(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162' +
        '2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    );
  });

  test('scrypt hashes are read as they are written', () => {
    const hash = {
      cost: 2048,
      blockSize: 9,
      parallelization: 2,
      salt: Buffer.alloc(9, 255),
      key: Buffer.alloc(20, 254),
    };
    expect(parseScryptHash(formatScryptHash(hash))).toEqual(hash);
  });
});
