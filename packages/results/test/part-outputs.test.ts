import { expect, test } from 'vitest';
import { outputSizes, PartOutputs } from '../src/threads/part-outputs.ts';

const KiB = 1024;

test('outputs are a small one first, and as many others as the rest needs', () => {
  expect(outputSizes(0)).toEqual([128 * KiB]);
  expect(outputSizes(128 * KiB + 1)).toEqual([128 * KiB, 512 * KiB]);
  expect(outputSizes(1152 * KiB)).toEqual([128 * KiB, 512 * KiB, 512 * KiB]);
});

test('chunks give away the outputs, then separate memory, without a copy', () => {
  const [small, large] = [new ArrayBuffer(128 * KiB), new ArrayBuffer(512 * KiB)];
  const outputs = new PartOutputs([small, large]);
  const leases = [100 * KiB, 300 * KiB, 300 * KiB].map((sizeBytes) => outputs.lease(sizeBytes));
  expect(leases.slice(0, 2).map(({ buffer }) => buffer)).toEqual([small, large]);
  expect(leases.map((lease) => outputs.giveAway(lease.subarray(0, 10)))).toEqual([
    { buffer: small, isLent: true },
    { buffer: large, isLent: true },
    { buffer: leases[2]?.buffer, isLent: false },
  ]);
  expect(outputs.giveRest()).toEqual([]);
});

test('a chunk of other memory is copied into an output', () => {
  const output = new ArrayBuffer(8);
  const outputs = new PartOutputs([output]);
  expect(outputs.giveAway(Uint8Array.of(1, 2, 3))).toEqual({ buffer: output, isLent: true });
  expect(new Uint8Array(output, 0, 3)).toEqual(Uint8Array.of(1, 2, 3));
});

test('a part that ends early gives its other outputs back, and no separate memory', () => {
  const buffers = [8, 16, 32].map((sizeBytes) => new ArrayBuffer(sizeBytes));
  const outputs = new PartOutputs(buffers);
  outputs.giveAway(outputs.lease(8));
  outputs.lease(16);
  outputs.lease(64);
  const rest = outputs.giveRest();
  expect(rest.map(({ byteLength }) => byteLength)).toEqual([32, 16]);
  expect(outputs.giveRest()).toEqual([]);
});
