/** Randomness as a dependency (DESIGN.md section 7). */
export interface Random {
  /** `count` uniformly random bytes. */
  bytes(count: number): Uint8Array;
  /** A uniformly random number in [0, 1). */
  fraction(): number;
}
