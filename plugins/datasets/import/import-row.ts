/** A row of an import by its number, from 1: its value, or why it cannot be read. */
export type ImportRow =
  | { readonly row: number; readonly value: unknown }
  | { readonly row: number; readonly problem: string }
