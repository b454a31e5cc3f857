import { QuireError } from '@quire/core';

const unitMs = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 } as const;

/**
 * Parses the header `grpc-timeout`, such as `10S` or `500m`; Infinity without one. Source:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests
 *
 * @throws INVALID_PARAMETER when the header is not a timeout
 */
export function parseGrpcTimeoutMs(header: string | undefined): number {
  if (header === undefined) return Infinity;
  const match = /^(\d{1,8})([HMSmun])$/.exec(header);
  if (match === null) {
    const shown = JSON.stringify(header.slice(0, 40));
    throw new QuireError(
      'INVALID_PARAMETER',
      `grpc-timeout is ${shown}; expected for example 10S or 500m.`,
    );
  }
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}
