import { QuireError } from '@quire/core';

/** Returns the error for calls about a table that is set aside. */
export function tableDamaged(tableNameWithType: string, damage: QuireError): QuireError {
  const help =
    'Restore the file, and the table is served again within seconds; or delete the table and load its rows again.';
  return new QuireError(
    'TABLE_DAMAGED',
    `The table ${tableNameWithType} is set aside: ${damage.message} ${help}`,
    {
      cause: damage,
    },
  );
}

export function tableNotFound(tableNameWithType: string): QuireError {
  return new QuireError(
    'TABLE_NOT_FOUND',
    `Table ${tableNameWithType.slice(0, 200)} does not exist.`,
  );
}
