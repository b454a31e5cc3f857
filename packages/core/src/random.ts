/** Randomness as a dependency (DESIGN.md section 7). */
export interface Random {
  /** Returns `count` uniformly random bytes. */
  bytes(count: number): Uint8Array;
  /** Returns a uniformly random number in [0, 1). */
  fraction(): number;
}
