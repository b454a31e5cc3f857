/** The permutation of MD2 (RFC 1319), made of the digits of pi. */
const md2Table = Buffer.from(
  '292e43c9a2d87c013d3654a1ecf0061362a705f3c0c7738c98932bd9bc4c82ca1e9b573cfdd4e01667426f188a17e512be4ec4d6da9ede49a0fbf58ebb2fee7a' +
    'a968799115b2073f94c210890b225f21807f5d9a5a903227353ecce7bff79703ff1930b348a5b5d1d75e922aac56aac64fb838d296a47db676fc6be29c7404f1' +
    '459d705964718720865bcf65e62da8021b6025adaeb0b9f61c46616934407e0f5547a323dd51af3ac35cf9cebac5ea262c530d6e85288409d3dfcdf441814d52' +
    '6adc37c86cc1abfa24e17b080cbdb14a7888958be363e86de9cbd5fe3b001d39f2efb70e6658d0e4a67772f8eb754b0a314450b48fed1f1adb998d339f118314',
  'hex',
);

/** MD2 (RFC 1319), a digest that nothing should be trusted to. */
export function md2(bytes: Uint8Array): Uint8Array {
  const padding = 16 - (bytes.length % 16);
  const padded = Buffer.concat([bytes, Buffer.alloc(padding, padding)]);
  const checksum = Buffer.alloc(16);
  let last = 0;
  for (let offset = 0; offset < padded.length; offset += 16) {
    for (let index = 0; index < 16; index += 1) {
      last = (checksum[index] ?? 0) ^ (md2Table[(padded[offset + index] ?? 0) ^ last] ?? 0);
      checksum[index] = last;
    }
  }
  const state = Buffer.alloc(48);
  const blocks = Buffer.concat([padded, checksum]);
  for (let offset = 0; offset < blocks.length; offset += 16) {
    for (let index = 0; index < 16; index += 1) {
      state[16 + index] = blocks[offset + index] ?? 0;
      state[32 + index] = (state[16 + index] ?? 0) ^ (state[index] ?? 0);
    }
    let carry = 0;
    for (let round = 0; round < 18; round += 1) {
      for (let index = 0; index < 48; index += 1) {
        carry = (state[index] ?? 0) ^ (md2Table[carry] ?? 0);
        state[index] = carry;
      }
      carry = (carry + round) % 256;
    }
  }
  return state.subarray(0, 16);
}

/** CRC-32C (RFC 3720) as a signed integer. */
export function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82_f6_3b_78 : 0);
  }
  return ~crc;
}
