/**
 * Verifies that a JSON body contains the requested page: that many rows, of which the first has its
 * number in its first column.
 *
 * @throws Error for any other content: a figure for the wrong page would be meaningless
 */
export function assertRows(body: Uint8Array, offset: number, rowCount: number): void {
  const parsed = JSON.parse(Buffer.from(body).toString()) as
    | unknown[][]
    | { resultTable: { rows: unknown[][] } };
  const rows = Array.isArray(parsed) ? parsed : parsed.resultTable.rows;
  const [first] = rows;
  if (rows.length !== rowCount || first?.[0] !== offset) {
    throw new Error(
      `Expected ${rowCount} rows from row ${offset}; got ${rows.length}, the first of them ${JSON.stringify(first)}.`,
    );
  }
}
