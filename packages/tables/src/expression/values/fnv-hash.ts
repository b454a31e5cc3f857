/** Which of both FNV hashes: FNV-1 multiplies and then takes in a byte, FNV-1a the other way round. */
export type FnvKind = 'FNV-1' | 'FNV-1a';

/** FNV of 32 bits, as a signed integer (Fowler, Noll and Vo). */
export function fnvHash32(bytes: Uint8Array, kind: FnvKind): number {
  let hash = 0x81_1c_9d_c5 | 0;
  for (const byte of bytes) {
    hash = kind === 'FNV-1' ? Math.imul(hash, 0x01_00_01_93) ^ byte : Math.imul(hash ^ byte, 0x01_00_01_93);
  }
  return hash;
}

/** FNV of 64 bits, as a signed integer. */
export function fnvHash64(bytes: Uint8Array, kind: FnvKind): bigint {
  const prime = 0x100_0000_01b3n;
  let hash = 0xcbf2_9ce4_8422_2325n;
  for (const byte of bytes) {
    const taken = BigInt(byte);
    hash = BigInt.asUintN(64, kind === 'FNV-1' ? BigInt.asUintN(64, hash * prime) ^ taken : (hash ^ taken) * prime);
  }
  return BigInt.asIntN(64, hash);
}
