/** Rows of a workbook; a sheet of Excel has no more than 1,048,576. */
export const excelRowsMax = 1_000_000;
