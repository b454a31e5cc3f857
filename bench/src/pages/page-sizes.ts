/** The sizes of the data that pages are read from, and the durations. */
export interface PageSizes {
  readonly rows: { readonly few: number; readonly base: number; readonly many: number };
  readonly pageRows: readonly number[];
  readonly basePageRows: number;
  /** Rows of the tables with a hundred columns and with long texts. */
  readonly bulkyRows: number;
  readonly readers: readonly number[];
  readonly roundCount: number;
  readonly sliceMs: number;
}

export const fullSizes: PageSizes = {
  rows: { few: 10_000, base: 1_000_000, many: 10_000_000 },
  pageRows: [1, 100, 10_000, 100_000],
  basePageRows: 10_000,
  bulkyRows: 100_000,
  readers: [1, 8, 64],
  roundCount: 5,
  sliceMs: 200,
};

export const quickSizes: PageSizes = {
  rows: { few: 500, base: 5000, many: 20_000 },
  pageRows: [1, 100],
  basePageRows: 500,
  bulkyRows: 2000,
  readers: [1, 8],
  roundCount: 2,
  sliceMs: 10,
};
